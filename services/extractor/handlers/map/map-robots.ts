/** A site's robots.txt for a map: its rules (RFC 9309) and its sitemaps. */
import type { SiteFile } from '@tidemark/contracts/site-file'
import { bounded } from '@tidemark/robots/bounded'
import { groupFor } from '@tidemark/robots/group'
import { judgePath } from '@tidemark/robots/judge'
import { parseRobots } from '@tidemark/robots/parse'
import { productTokenOf } from '@tidemark/robots/token'
import { meaningOf } from '../../domain/site-file.ts'
import { statusOrRefused } from '../fetch-refusal.ts'
import type { Visits } from './map-visits.ts'

export type SiteRobots = {
  origin: string
  status: number
  /** URLs of sitemaps as written. */
  sitemaps: string[]
  /** Its text, or empty. */
  body: string
  /** Whether the whole site is disallowed because robots.txt is unreachable. */
  isClosed: boolean
  /** Returns why a page of the origin may not be fetched, in words, or null. */
  forbids: (url: string) => string | null
}

type Options = {
  /** This crawler's product token, unless the client sets its own name. */
  token: string
  respect: boolean
  userAgent?: string | undefined
}

/**
 * @param origin without a trailing slash
 * @throws Refusal for an unreachable site or an unreadable response
 */
export async function readRobots(
  { readRobots }: Visits,
  origin: string,
  options: Options,
): Promise<SiteRobots> {
  const file = await readRobots(origin)
  const status = statusOrRefused(file)
  return { origin, status, body: file.text ?? '', ...rulesOf({ ...file, status }, options) }
}

function rulesOf({ status, text }: SiteFile, { token, respect, userAgent }: Options) {
  if (meaningOf(status) === 'disallow_all') {
    const because = respect
      ? `robots.txt responded with ${status}, which disallows everything until it responds`
      : null
    return { sitemaps: [], isClosed: respect, forbids: () => because }
  }
  const file = parseRobots(text ?? '')
  const group = bounded(groupFor(file, (userAgent && productTokenOf(userAgent)) || token))
  const forbids = (page: string): string | null => {
    const { allowed, rule } = judgePath(group, page.slice(new URL(page).origin.length) || '/')
    return allowed || !respect ? null : `robots.txt disallows it: ${rule}`
  }
  return { sitemaps: file.sitemaps, isClosed: false, forbids }
}
