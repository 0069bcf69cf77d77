/**
 * What a page says, whatever kind of page it is. HTML is parsed once and no further than is bearable; of
 * anything else only its bytes are known.
 */

import type { FoundLink } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { decodeHtml } from '@tidemark/html/decode'
import type { PageFacts, PageLink, PageMetadata } from '@tidemark/html/page-facts'
import { readPage } from '@tidemark/html/read-page'
import { createResolver } from '@tidemark/url/resolver'
import { challengeOf } from './challenge.ts'
import { linksInScope } from './links.ts'
import { isHtml } from './media-type.ts'
import { forbidsFollowing } from './robots-directives.ts'
import { isScriptShell } from './script-shell.ts'
import { silent } from './silent.ts'

export type Facts = {
  title: string | null
  contentHash: string
  rawHash: string
  /** Null where there is no text to be alike. */
  likeness: string | null
  /** What the run may follow. */
  links: FoundLink[]
  charset: string | null
  metadata: PageMetadata & { robots: string[] }
  /** What the page shows, wherever it leads. */
  edges: PageLink[]
  /** Normal forms that the page wants visited beside its links. */
  beyond: string[]
  /** Whether the run is not to follow any of it. */
  isSilent: boolean
  /** Whose challenge the origin showed instead of its page; null where it showed the page. */
  challenge: string | null
  /** It is a page whose content only its scripts can make, and they have not run. */
  isScriptOnly: boolean
}

/** What of a page is known besides its body. */
export type Described = Pick<
  FetchedPage,
  'url' | 'scope' | 'status' | 'marks' | 'contentType' | 'robotsHeader' | 'rendered'
>

/** Characters: what stands beyond belongs to no page that a person reads. */
const mostParsed = 10 * 1024 ** 2

/**
 * In steps: a page of 50,000 links takes a while.
 * @param rawHash SHA-256 of `body` in lower-case hex
 * @param robotsToken the product token by which X-Robots-Tag may name us
 */
export function* factsOf(
  page: Described,
  body: Buffer,
  rawHash: string,
  robotsToken: string,
): Generator<void, Facts> {
  const { url, scope, status, marks, contentType, robotsHeader } = page
  const seen = { status, body, ...(marks && { marks }) }
  if (!isHtml(contentType, body)) {
    const challenge = challengeOf({ ...seen, title: null, words: null })
    return { ...unread, rawHash, contentHash: rawHash, challenge, isSilent: challenge !== null }
  }
  const { html, charset } = decodeHtml(body, contentType)
  const resolve = createResolver(url)
  const facts = yield* readPage(html.slice(0, mostParsed), { url, resolve, createResolver })
  yield
  const { title, contentHash, links, metadata, robotsMeta, text } = facts
  const challenge = challengeOf({ ...seen, title, words: text.words })
  const beyond = beyondOf(facts, resolve(''))
  const mayBeShell = challenge === null && !page.rendered && isSuccess(status)
  const isSilent = challenge !== null || forbidsFollowing(robotsMeta, robotsHeader, robotsToken)
  return {
    title,
    contentHash,
    rawHash,
    likeness: facts.likeness,
    links: isSilent ? [] : linksInScope(targetsOf(links, beyond), scope),
    charset,
    metadata: { ...metadata, robots: robotsMeta },
    edges: links,
    beyond,
    isSilent,
    challenge,
    isScriptOnly: mayBeShell && isScriptShell({ body, words: text.words }),
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299

/** What the page wants visited: its links but those it disowns, and what is beyond them. */
export const targetsOf = (
  links: readonly Pick<PageLink, 'href' | 'nofollow'>[],
  beyond: readonly string[],
) => [...links.filter(({ nofollow }) => !nofollow).map(({ href }) => href), ...beyond]

/** Where it sends its readers on, and the address that it would rather be known by. Most pages name their own there. */
function beyondOf({ refresh, canonical }: PageFacts, self: string | null): string[] {
  const beyond = refresh === null ? [] : [refresh]
  return canonical === null || canonical === self ? beyond : [...beyond, canonical]
}

const unread: Omit<Facts, 'rawHash' | 'contentHash' | 'challenge' | 'isSilent'> = {
  title: null,
  likeness: null,
  links: [],
  charset: null,
  metadata: silent,
  edges: [],
  beyond: [],
  isScriptOnly: false,
}
