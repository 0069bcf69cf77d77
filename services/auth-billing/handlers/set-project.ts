/** Changes what a project's crawls do where they do not say. A proxy is sealed before it is kept or told. */
import { Refusal } from '@tidemark/bus/ask'
import type { ProjectSetAnswer, SetProject } from '@tidemark/contracts/ask/accounts'
import { problems } from '@tidemark/contracts/problems'
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
    if (set === null) throw refusal('not_found', 'name', `There is no project "${name}".`)
    publish(set.outboxId)
    return { project_id: set.projectId, name, proxy_url: proxy?.shown ?? null }
  }

function shownOf(proxyUrl: string): string {
  try {
    return readProxy(proxyUrl).shown
  } catch (thrown) {
    throw refusal('invalid_input', 'proxy_url', FetchError.from(thrown).message)
  }
}

const refusal = (code: 'not_found' | 'invalid_input', field: string, message: string) =>
  new Refusal({ status: problems[code].status, code, field, message })
