/** Returns the links to check: the sent ones, or those of the named page. */

import { type CheckLinksRequest, maxLinks } from '@tidemark/contracts/http/actors/check-links'
import type { PageLinks } from '@tidemark/contracts/rpc/check-link'
import type { ActorPorts } from '../ports.ts'
import { challenged } from '../read-billed.ts'
import { type Link, linksOf } from './domain/link-list.ts'

export type LinkSource = {
  links: readonly Link[]
  page?: { url: string; status: number }
  warnings: readonly string[]
}

const pageMs = 30_000

/**
 * The caller has checked the address with `judgeSeed`. Throws `ApiProblem`, or the `Refusal` of the service that could
 * not fetch the page. A challenge counts as a failure: 502 `blocked`.
 */
export async function linkSource(
  { actors }: Pick<ActorPorts, 'actors'>,
  { url, urls = [] }: Pick<CheckLinksRequest, 'url' | 'urls'>,
  work: { workId: number; projectId: number },
): Promise<LinkSource> {
  if (url === undefined) return { links: linksOf(urls), warnings: [] }
  const reading = { as: 'links', most: maxLinks } as const
  const request = { ...work, url: new URL(url).href, timeoutMs: pageMs, reading }
  const { challenge, data, warnings, ...page } = await actors.readPage(request)
  if (challenge !== null) throw challenged(challenge)
  const { links, more } = data as PageLinks
  return { links, page, warnings: [...warnings, ...(more > 0 ? [tooMany(more)] : [])] }
}

const tooMany = (more: number) => `only the first ${maxLinks} links were checked, and ${more} more were not`
