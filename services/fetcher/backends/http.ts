/** Fetches by plain HTTP, directly. */
import type { FetchNow } from '@tidemark/contracts/rpc/fetch'
import { urlKey } from '@tidemark/url/key'
import type { Ask, AskOptions } from '../handlers/ask.ts'
import type { Backend, Errand } from './backend.ts'

export const httpBackend =
  (ask: Ask): Backend<undefined> =>
  (question, _by, errand) =>
    ask(question.url, askOptions(question, errand))

/** Returns the options of `Ask` for a request. */
export function askOptions(question: FetchNow, errand: Errand): AskOptions {
  const { workId, url, method, timeoutMs, maxHops, cuts, userAgent } = question
  return {
    work: { runId: workId, ...(userAgent !== undefined && { userAgent }) },
    order: { key: urlKey(url), attempt: 1 },
    ...(method !== undefined && { method }),
    maxHops,
    cuts,
    timeoutMs,
    headers: {},
    ...errand,
  }
}
