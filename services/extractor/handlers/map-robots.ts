/** A site's robots.txt: what it forbids (RFC 9309) and which sitemaps it names. */
import { decodeBody } from '@tidemark/http/decode'
import { FetchError } from '@tidemark/http/fetch-error'
import { groupFor } from '@tidemark/robots/group'
import { judgePath } from '@tidemark/robots/judge'
import { parseRobots } from '@tidemark/robots/parse'
import { productTokenOf } from '@tidemark/robots/token'
import type { Failed, Fetched } from '../adapters/fetch-now.ts'
import type { Visit } from './map-visits.ts'

export type SiteRobots = {
  url: string
  status: number | null
  error: string | null
  /** As they stand there. */
  sitemaps: string[]
  /** Its text, empty where it has none. */
  body: string
  /** What keeps a page of its origin from being fetched, in words; null where nothing does. */
  forbids: (url: string) => string | null
}

/** Of a site that could not be asked at all. */
export type Unreachable = { failed: Failed }

type Options = {
  /** The product token that we are addressed by, unless the client gives itself a name. */
  token: string
  respect: boolean
  userAgent?: string | undefined
}

const maxHops = 5
const mostFetched = 2 * 1024 ** 2
const mostDecoded = 8 * 1024 ** 2

/** @param origin without a slash at the end */
export async function readRobots(
  visit: Visit,
  origin: string,
  { token, respect, userAgent }: Options,
): Promise<SiteRobots | Unreachable> {
  const url = `${origin}/robots.txt`
  const answer = await visit(url, { maxHops, maxBytes: mostFetched, cuts: true })
  if (answer.is === 'failed') return { failed: answer }
  if (answer.is === 'left_out')
    return { failed: { is: 'failed', reason: 'timeout', message: answer.because, hops: [] } }
  const { status } = answer
  const about = { url, status, error: null, sitemaps: [], body: '' }
  if (status >= 500 || status === 429) {
    const because = respect
      ? `robots.txt answered ${status}, which forbids everything until it answers`
      : null
    return { ...about, forbids: () => because }
  }
  if (status < 200 || status > 299) return { ...about, forbids: () => null }
  const text = textOf(answer)
  if (text === null) return { ...about, error: 'protocol', forbids: () => null }
  const file = parseRobots(text)
  const group = groupFor(file, (userAgent && productTokenOf(userAgent)) || token)
  const forbids = (page: string) => {
    const { allowed, rule } = judgePath(group, page.slice(new URL(page).origin.length) || '/')
    return allowed || !respect ? null : `robots.txt forbids it: ${rule}`
  }
  return { ...about, sitemaps: file.sitemaps, body: text, forbids }
}

function textOf({ body, encodings }: Fetched): string | null {
  try {
    return decodeBody(body, encodings, mostDecoded).toString('utf8')
  } catch (thrown) {
    if (thrown instanceof FetchError) return null
    throw thrown
  }
}
