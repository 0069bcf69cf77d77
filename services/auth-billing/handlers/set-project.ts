/** Changes the terms of a project. A proxy is sealed before it is stored or published. */
import { refuse } from '@tidemark/bus/refusal'
import { limitsOf } from '@tidemark/contracts/limits'
import { limitsView, type ProjectSetResponse, type SetProject } from '@tidemark/contracts/rpc/accounts'
import { FetchError } from '@tidemark/http/fetch-error'
import { readProxy } from '@tidemark/http/proxy'
import type { Announce } from '../adapters/announce.ts'
import type { TermsOfAccounts } from '../adapters/terms.ts'
import { changeTerms } from '../domain/terms.ts'

export type Ports = {
  terms: Pick<TermsOfAccounts, 'changeProject'>
  seal: (text: string) => string
  announce: Announce
  trace: () => string | undefined
}

/**
 * Changes the terms and returns the current ones. Rejects an unknown project (`not_found`), and an address that is not
 * a proxy (`invalid_input`).
 */
export const setProject =
  ({ terms, seal, announce, trace }: Ports) =>
  async ({ name, proxyUrl, ...changes }: SetProject): Promise<ProjectSetResponse> => {
    const proxy = proxyUrl && { sealed: seal(proxyUrl), shown: shownOf(proxyUrl) }
    const change = { ...changes, proxy: proxyUrl === undefined ? undefined : proxy || null }
    const info = { at: new Date().toISOString(), trace: trace() }
    const changed = await terms.changeProject(name, info, project => changeTerms(project, change))
    if (changed === null)
      throw refuse('not_found', { field: 'name', message: `There is no project "${name}".` })
    await announce(changed.outboxId)
    const { projectId, tier, unlimited, cloudMode, proxy: newProxy } = changed.now
    return {
      project_id: projectId,
      name,
      tier,
      unlimited,
      caps: limitsView(limitsOf(changed.now)),
      cloud_mode: cloudMode,
      proxy_url: newProxy?.shown ?? null,
    }
  }

function shownOf(proxyUrl: string): string {
  try {
    return readProxy(proxyUrl).shown
  } catch (thrown) {
    throw refuse('invalid_input', { field: 'proxy_url', message: FetchError.from(thrown).message })
  }
}
