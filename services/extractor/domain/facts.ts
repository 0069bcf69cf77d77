/** The facts of a page of any type. HTML is parsed once, up to a limit. For other types only the bytes are known. */

import type { FoundLink } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { challengeOf } from '@tidemark/html/challenge'
import { asHtml, decodeHtml } from '@tidemark/html/decode'
import { isHtml } from '@tidemark/html/media-type'
import type { PageFacts, PageLink, PageMetadata } from '@tidemark/html/page-facts'
import { readPage } from '@tidemark/html/read-page'
import { createSelection } from '@tidemark/html/selection/select'
import { parseTree } from '@tidemark/html/tree/parse-tree'
import { resolverIn } from '@tidemark/url/query-charset'
import { createResolver } from '@tidemark/url/resolver'
import { beginningOf } from './beginning.ts'
import { comparisonHash } from './comparison/compared.ts'
import { linksInScope } from './links.ts'
import { noPageFacts } from './no-page-facts.ts'
import { directivesFor, forbidsFollowing } from './robots-directives.ts'
import { isScriptShell } from './script-shell.ts'

export type Facts = {
  title: string | null
  contentHash: string
  rawHash: string
  /** Absent if the run has no rules of comparison. */
  comparisonHash?: string
  /** Null without a text to compare. */
  likeness: string | null
  /** Links that the run may follow. */
  links: FoundLink[]
  charset: string | null
  metadata: PageMetadata & { robots: string[] }
  /** All links of the page, to any site. */
  edges: PageLink[]
  /** Normal forms of further URLs that the page refers to. */
  beyond: string[]
  /** Whether the page forbids following its links. */
  isSilent: boolean
  /** The vendor of the challenge that the origin showed instead of its page; null for the page itself. */
  challenge: string | null
  /** Whether the page is a shell whose scripts have not run. */
  isScriptOnly: boolean
  /** Whether the page has the sign of having been logged out. */
  isLoggedOut: boolean
}

/** The data of a fetched page besides its body. */
type PageWithoutBody = Pick<
  FetchedPage,
  | 'url'
  | 'scope'
  | 'status'
  | 'marks'
  | 'contentType'
  | 'robotsHeader'
  | 'rendered'
  | 'comparison'
  | 'loggedOut'
>

/** Maximum characters that are parsed. No page for people has more. */
const maxParsed = 10 * 1024 ** 2

/**
 * Returns the facts of a page. It works in steps, because a page of 50,000 links takes a while.
 * @param rawHash SHA-256 of `body` in lower-case hex
 * @param robotsToken the product token by which X-Robots-Tag or a meta may address this crawler
 */
export function* factsOf(
  page: PageWithoutBody,
  body: Buffer,
  rawHash: string,
  robotsToken: string,
): Generator<void, Facts> {
  const { url, scope, status, marks, contentType, robotsHeader, comparison, loggedOut } = page
  const seen = { status, body, ...(marks && { marks }) }
  if (!isHtml(contentType, body)) {
    const challenge = challengeOf({ ...seen, title: null, words: null })
    return { ...unread, rawHash, contentHash: rawHash, challenge, isSilent: challenge !== null }
  }
  const { html, charset } = decodeHtml(body, contentType)
  const createOwn = resolverIn(charset, createResolver)
  const resolve = createOwn(url)
  const parsed = asHtml(html, contentType).slice(0, maxParsed)
  const facts = yield* readPage(parsed, { url, resolve, createResolver: createOwn })
  yield
  const compared = comparison && (yield* comparisonHash(beginningOf(parsed), url, comparison))
  const isLoggedOut = loggedOut !== undefined && (yield* hasElement(parsed, loggedOut))
  const { title, contentHash, links, metadata, text } = facts
  const directives = directivesFor(robotsToken, facts)
  const challenge = challengeOf({ ...seen, title, words: text.words })
  const beyond = beyondOf(facts, resolve(''))
  const mayBeShell = challenge === null && !page.rendered && isSuccess(status)
  const isSilent = challenge !== null || forbidsFollowing(directives, robotsHeader, robotsToken)
  return {
    title,
    contentHash,
    rawHash,
    ...(compared && { comparisonHash: compared }),
    likeness: facts.likeness,
    links: isSilent ? [] : linksInScope(targetsOf(links, beyond), scope),
    charset,
    metadata: { ...metadata, robots: directives },
    edges: links,
    beyond,
    isSilent,
    challenge,
    isLoggedOut,
    isScriptOnly: mayBeShell && isScriptShell({ body, words: text.words }),
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299

/** Returns whether the page has an element of this CSS selector. A selector that takes too many steps finds none. */
function* hasElement(html: string, selector: string): Generator<void, boolean> {
  const tree = parseTree(html)
  yield
  return (createSelection(tree, maxSteps).select(selector, 1) ?? []).length > 0
}

/**
 * Maximum steps of a selector. They take about a fifth of a second of processor time, in which no other page is read.
 */
const maxSteps = { each: 1_000_000, all: 1_000_000 }

/** Returns the URLs to visit: links without nofollow, and other references. */
export const targetsOf = (
  links: readonly Pick<PageLink, 'href' | 'nofollow'>[],
  beyond: readonly string[],
) => [...links.filter(({ nofollow }) => !nofollow).map(({ href }) => href), ...beyond]

/** Returns the refresh target and the canonical URL, which most pages set to their own URL. */
function beyondOf({ refresh, canonical }: PageFacts, self: string | null): string[] {
  const beyond = refresh === null ? [] : [refresh]
  return canonical === null || canonical === self ? beyond : [...beyond, canonical]
}

const unread: Omit<Facts, 'rawHash' | 'contentHash' | 'challenge' | 'isSilent'> = {
  title: null,
  likeness: null,
  links: [],
  charset: null,
  metadata: noPageFacts,
  edges: [],
  beyond: [],
  isScriptOnly: false,
  isLoggedOut: false,
}
