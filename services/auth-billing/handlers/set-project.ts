/** Changes what a project's crawls do where they do not say. A proxy is sealed before it is kept or told. */
import { refuse } from '@tidemark/bus/ask'
import type { ProjectSetAnswer, SetProject } from '@tidemark/contracts/ask/accounts'
import { FetchError } from '@tidemark/http/fetch-error'
import { readProxy } from '@tidemark/http/proxy'
import type { Accounts } from '../adapters/accounts.ts'

export type Ports = {
  accounts: Pick<Accounts, 'setProxy'>
  seal: (text: string) => string
  publish: (outboxId: number) => void
  trace: () => string | undefined
}

/** Refuses a project that there is not, and an address that is no proxy's. */
export const setProject =
  ({ accounts, seal, publish, trace }: Ports) =>
  async ({ name, proxyUrl }: SetProject): Promise<ProjectSetAnswer> => {
    const proxy = proxyUrl === null ? null : { sealed: seal(proxyUrl), shown: shownOf(proxyUrl) }
    const set = await accounts.setProxy({ name, proxy, at: new Date().toISOString(), trace: trace() })
    if (set === null) throw refuse('not_found', { field: 'name', message: `There is no project "${name}".` })
    publish(set.outboxId)
    return { project_id: set.projectId, name, proxy_url: proxy?.shown ?? null }
  }

function shownOf(proxyUrl: string): string {
  try {
    return readProxy(proxyUrl).shown
  } catch (thrown) {
    throw refuse('invalid_input', { field: 'proxy_url', message: FetchError.from(thrown).message })
  }
}
