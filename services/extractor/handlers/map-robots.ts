/** A site's robots.txt for a map: what it forbids (RFC 9309) and which sitemaps it names. */
import type { SiteFile } from '@tidemark/contracts/site-file'
import { groupFor } from '@tidemark/robots/group'
import { judgePath } from '@tidemark/robots/judge'
import { parseRobots } from '@tidemark/robots/parse'
import { productTokenOf } from '@tidemark/robots/token'
import { meaningOf } from '../domain/site-file.ts'
import { refusalOf } from './fetch-refusal.ts'
import type { Visits } from './map-visits.ts'

export type SiteRobots = {
  origin: string
  status: number
  /** As they stand there. */
  sitemaps: string[]
  /** Its text, empty where it has none. */
  body: string
  /** Whether nothing of the site may be fetched at all, since nobody can say what may. */
  isClosed: boolean
  /** What keeps a page of its origin from being fetched, in words; null where nothing does. */
  forbids: (url: string) => string | null
}

type Options = {
  /** The product token that we are addressed by, unless the client gives itself a name. */
  token: string
  respect: boolean
  userAgent?: string | undefined
}

/**
 * @param origin without a slash at the end
 * @throws Refusal for a site that could not be asked, or whose answer cannot be read
 */
export async function readRobots(
  { readRobots }: Visits,
  origin: string,
  options: Options,
): Promise<SiteRobots> {
  const file = await readRobots(origin)
  const { status, error } = file
  if (status === null) throw refusalOf(error ?? { reason: 'protocol', message: 'There was no answer.' })
  return { origin, status, body: file.text ?? '', ...rulesOf({ ...file, status }, options) }
}

function rulesOf({ status, text }: SiteFile, { token, respect, userAgent }: Options) {
  if (meaningOf(status) === 'disallow_all') {
    const because = respect
      ? `robots.txt answered ${status}, which forbids everything until it answers`
      : null
    return { sitemaps: [], isClosed: respect, forbids: () => because }
  }
  const file = parseRobots(text ?? '')
  const group = groupFor(file, (userAgent && productTokenOf(userAgent)) || token)
  const forbids = (page: string): string | null => {
    const { allowed, rule } = judgePath(group, page.slice(new URL(page).origin.length) || '/')
    return allowed || !respect ? null : `robots.txt forbids it: ${rule}`
  }
  return { sitemaps: file.sitemaps, isClosed: false, forbids }
}
