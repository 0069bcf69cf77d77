/** Changes on which terms a project is served. A proxy is sealed before it is kept or told. */
import { refuse } from '@tidemark/bus/refusal'
import { limitsOf } from '@tidemark/contracts/limits'
import { limitsView, type ProjectSetAnswer, type SetProject } from '@tidemark/contracts/rpc/accounts'
import { FetchError } from '@tidemark/http/fetch-error'
import { readProxy } from '@tidemark/http/proxy'
import type { TermsOfAccounts } from '../adapters/terms.ts'
import { changeTerms } from '../domain/terms.ts'

export type Ports = {
  terms: Pick<TermsOfAccounts, 'changeProject'>
  seal: (text: string) => string
  /** Tells gateways that something changed, and ACCOUNTS of a row of the outbox. */
  tell: (outboxId: number | null) => Promise<unknown>
  trace: () => string | undefined
}

/** Refuses a project that there is not, and an address that is no proxy's. */
export const setProject =
  ({ terms, seal, tell, trace }: Ports) =>
  async ({ name, proxyUrl, ...changes }: SetProject): Promise<ProjectSetAnswer> => {
    const proxy = proxyUrl && { sealed: seal(proxyUrl), shown: shownOf(proxyUrl) }
    const change = { ...changes, proxy: proxyUrl === undefined ? undefined : proxy || null }
    const told = { at: new Date().toISOString(), trace: trace() }
    const changed = await terms.changeProject(name, told, project => changeTerms(project, change))
    if (changed === null)
      throw refuse('not_found', { field: 'name', message: `There is no project "${name}".` })
    await tell(changed.outboxId)
    const { projectId, tier, unlimited, cloudMode, proxy: now } = changed.now
    return {
      project_id: projectId,
      name,
      tier,
      unlimited,
      caps: limitsView(limitsOf(changed.now)),
      cloud_mode: cloudMode,
      proxy_url: now?.shown ?? null,
    }
  }

function shownOf(proxyUrl: string): string {
  try {
    return readProxy(proxyUrl).shown
  } catch (thrown) {
    throw refuse('invalid_input', { field: 'proxy_url', message: FetchError.from(thrown).message })
  }
}
