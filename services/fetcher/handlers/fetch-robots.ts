/**
 * Fetches one ordered robots.txt: its text, or the reason of the failure (RFC 9309, 2.3.1). Up to five redirects are
 * followed, and only the complete lines of the first 500 KiB are read.
 */
import { hash } from 'node:crypto'
import type { SiteFile } from '@tidemark/contracts/site-file'
import { maxFileRedirects } from '@tidemark/contracts/work/redirects'
import { decodeBody } from '@tidemark/http/decode'
import type { Fetched } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { completeLines } from '@tidemark/robots/complete-lines'
import { isInOurName } from '../domain/own-name.ts'
import type { Fetching } from './fetch-page.ts'
import type { SendRequest } from './send-request.ts'

const maxRead = 500 * 1024
/** Maximum bytes on the wire: enough to read `maxRead` bytes of a longer file. */
const maxFetched = 512 * 1024
/** Maximum decoded bytes. To save memory, a larger file counts as a failure. */
const maxDecoded = 8 * 1024 ** 2

type Ports = {
  sendRequest: SendRequest
  /** Stores the file for other services, so that they need not fetch it again. */
  cache: (url: string, file: SiteFile) => Promise<void>
}

export const fetchRobots = ({ sendRequest, cache }: Ports): Fetching => ({
  send: (work, order, { session: _, ...request }) =>
    sendRequest(order.url, {
      work,
      order,
      maxHops: maxFileRedirects,
      maxBytes: maxFetched,
      cuts: true,
      ...request,
    }),
  async toResult(work, { key, attempt, url }, response) {
    const about = { runId: work.runId, key, attempt, origin: URL.parse(url)?.origin ?? url }
    const read = 'error' in response ? response.error : textOf(response.fetched)
    if (read instanceof FetchError) {
      const { code: reason, transient } = read
      return { outcome: { type: 'robots_failed', ...about, reason, transient } }
    }
    // A response to a client's own identity or proxy is not shared.
    if (isInOurName(work)) await cache(url, fileOf(read))
    const { truncated: _, ...text } = read
    return { outcome: { type: 'robots', ...about, ...text } }
  },
})

/** Returns the file for the shared cache. */
function fileOf({ status, body, bodyHash, truncated }: RobotsText): SiteFile {
  const fetchedAt = new Date().toISOString()
  return { fetchedAt, status, error: null, text: bodyHash === null ? null : body, truncated }
}

type RobotsText = { status: number; body: string; bodyHash: string | null; truncated: boolean }

/** Returns the text of the file, empty unless the status is 2xx, or the error of its encoding. */
function textOf({ status, body, encodings }: Fetched): RobotsText | FetchError {
  if (status < 200 || status > 299) return { status, body: '', bodyHash: null, truncated: false }
  try {
    const decoded = decodeBody(body, encodings, maxDecoded)
    const truncated = decoded.length > maxRead
    const lines = truncated ? completeLines(decoded.subarray(0, maxRead)) : decoded
    const text = new TextDecoder().decode(lines)
    return { status, body: text, bodyHash: hash('sha256', decoded, 'hex'), truncated }
  } catch (thrown) {
    return FetchError.from(thrown)
  }
}
