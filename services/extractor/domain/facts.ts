/**
 * What a page says, whatever kind of page it is. HTML is parsed once and no further than is bearable; of
 * anything else only its bytes are known.
 */

import type { FoundLink } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { decodeHtml } from '@tidemark/html/decode'
import type { PageLink, PageMetadata } from '@tidemark/html/page-facts'
import { readPage } from '@tidemark/html/read-page'
import { createResolver } from '@tidemark/url/resolver'
import { linksInScope } from './links.ts'
import { isHtml } from './media-type.ts'
import { forbidsFollowing } from './robots-directives.ts'

export type Facts = {
  title: string | null
  contentHash: string
  rawHash: string
  /** What the run may follow. */
  links: FoundLink[]
  charset: string | null
  metadata: PageMetadata & { robots: string[] }
  /** What the page shows, wherever it leads. */
  edges: PageLink[]
}

/** Characters: what stands beyond belongs to no page that a person reads. */
const mostParsed = 10 * 1024 ** 2

/** @param rawHash SHA-256 of `body` in lower-case hex */
export function factsOf(
  { url, scope, contentType, robotsHeader }: FetchedPage,
  body: Buffer,
  rawHash: string,
): Facts {
  if (!isHtml(contentType, body)) return { ...unread, rawHash, contentHash: rawHash }
  const { html, charset } = decodeHtml(body, contentType)
  const options = { resolve: createResolver(url), createResolver }
  const { title, contentHash, links, refresh, metadata, robotsMeta } = readPage(
    html.slice(0, mostParsed),
    options,
  )
  const isSilent = forbidsFollowing(robotsMeta, robotsHeader)
  const targets = isSilent ? [] : [...links.map(({ href }) => href), ...(refresh === null ? [] : [refresh])]
  return {
    title,
    contentHash,
    rawHash,
    links: linksInScope(targets, scope),
    charset,
    metadata: { ...metadata, robots: robotsMeta },
    edges: links,
  }
}

const unread: Omit<Facts, 'rawHash' | 'contentHash'> = {
  title: null,
  links: [],
  charset: null,
  metadata: {
    title: null,
    description: null,
    canonical: null,
    lang: null,
    robots: [],
    og: {},
    twitter: {},
    json_ld: [],
  },
  edges: [],
}
