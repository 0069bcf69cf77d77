/**
 * One robots.txt ordered, and its text or the reason why there is none (RFC 9309, 2.3.1): up to five
 * redirects are followed, and what lies beyond the first 500 KiB is not read.
 */
import { hash } from 'node:crypto'
import type { SiteFile } from '@tidemark/contracts/site-file'
import { decodeBody } from '@tidemark/http/decode'
import type { Fetched } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { isInOurName } from '../domain/own-name.ts'
import type { Ask } from './ask.ts'
import type { Fetching } from './fetch-page.ts'

const maxHops = 5
const mostRead = 500 * 1024
/** Over the wire: enough of a longer file to read that much, packed or not. */
const mostFetched = 512 * 1024
/** A file that decodes to more than this is no robots.txt, and not worth the memory. */
const mostDecoded = 8 * 1024 ** 2

type Ports = {
  ask: Ask
  /** Tells those who want to know what the site says, and need not ask it again. */
  remember: (url: string, file: SiteFile) => Promise<void>
}

export const fetchRobots = ({ ask, remember }: Ports): Fetching => ({
  ask: (work, order, request) =>
    ask(order.url, { work, order, maxHops, maxBytes: mostFetched, cuts: true, ...request }),
  async tell(work, { key, attempt, url }, asked) {
    const about = { runId: work.runId, key, attempt, origin: URL.parse(url)?.origin ?? url }
    const read = 'error' in asked ? asked.error : textOf(asked.fetched)
    if (read instanceof FetchError) {
      const { code: reason, transient } = read
      return { outcome: { type: 'robots_failed', ...about, reason, transient } }
    }
    // What a client was answered under its own name, or by its own way, is told to nobody else.
    if (isInOurName(work)) await remember(url, fileOf(read))
    return { outcome: { type: 'robots', ...about, ...read } }
  },
})

/** A line that was cut is left out. */
function fileOf({ status, body, bodyHash }: RobotsText): SiteFile {
  const truncated = Buffer.byteLength(body) >= mostRead
  const text = truncated ? body.slice(0, body.lastIndexOf('\n') + 1) : body
  const fetchedAt = new Date().toISOString()
  return { fetchedAt, status, error: null, text: bodyHash === null ? null : text, truncated }
}

type RobotsText = { status: number; body: string; bodyHash: string | null }

/** The body matters only where the status says that it is a robots.txt. */
function textOf({ status, body, encodings }: Fetched): RobotsText | FetchError {
  if (status < 200 || status > 299) return { status, body: '', bodyHash: null }
  try {
    const decoded = decodeBody(body, encodings, mostDecoded)
    const text = new TextDecoder().decode(decoded.subarray(0, mostRead))
    return { status, body: text, bodyHash: hash('sha256', decoded, 'hex') }
  } catch (thrown) {
    return FetchError.from(thrown)
  }
}
