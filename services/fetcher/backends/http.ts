/** Fetches by plain HTTP, directly or on the route of a crawl. */
import type { FetchNow } from '@tidemark/contracts/rpc/fetch'
import { urlKey } from '@tidemark/url/key'
import type { OwnHeaders } from '../domain/own-headers.ts'
import type { Ask, AskOptions } from '../handlers/ask.ts'
import type { Backend, Errand } from './backend.ts'

export const httpBackend =
  (ask: Ask, ownHeaders: OwnHeaders): Backend<undefined> =>
  (question, _by, errand) => {
    const { work, ...options } = askOptions(question, errand)
    const { asRun = {} } = question
    return ask(question.url, { ...options, work: { ...work, ...asRun }, headers: ownHeaders(asRun) })
  }

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
