/** Fetches by plain HTTP, directly or on the route of a crawl. */
import type { FetchNow } from '@tidemark/contracts/rpc/fetch'
import { urlKey } from '@tidemark/url/key'
import type { OwnHeaders } from '../domain/own-headers.ts'
import type { RequestOptions, SendRequest } from '../handlers/send-request.ts'
import type { Backend, RequestContext } from './backend.ts'

export const httpBackend =
  (sendRequest: SendRequest, ownHeaders: OwnHeaders): Backend<undefined> =>
  (request, _by, context) => {
    const { work, ...options } = requestOptions(request, context)
    const { asRun = {} } = request
    return sendRequest(request.url, { ...options, work: { ...work, ...asRun }, headers: ownHeaders(asRun) })
  }

/** Returns the options of `SendRequest` for a request. */
export function requestOptions(request: FetchNow, context: RequestContext): RequestOptions {
  const { workId, runId = workId, projectId, url, method, timeoutMs, maxHops, cuts, userAgent } = request
  return {
    work: {
      runId,
      ...(projectId !== undefined && { projectId }),
      ...(userAgent !== undefined && { userAgent }),
    },
    order: { key: urlKey(url), attempt: 1 },
    ...(method !== undefined && { method }),
    maxHops,
    cuts,
    timeoutMs,
    headers: {},
    ...context,
  }
}
