/**
 * The data of a page that a later run reuses if the page is unchanged. The later run judges the links by its own scope,
 * as if the page had been sent.
 */
import type { CopiedPage, Revisit } from '@tidemark/content/revisits'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { staleCopy } from '@tidemark/contracts/work/revisit'
import { nameOfRules } from './comparison/compared.ts'
import { type Facts, targetsOf } from './facts.ts'
import { failureOf } from './failure.ts'
import { linksInScope } from './links.ts'
import type { PageOutcome } from './parts.ts'

/** Maximum length of URLs and link texts: the outcomes of unchanged pages are made for a whole batch at once. */
const maxCharacters = 256 * 1024

/**
 * Returns null if a later run must fetch the page: it has no validators, is a challenge, a shell or for logged-out
 * visitors, or has too many links.
 * @param bytes of the decoded body
 */
export function revisitOf(
  { revisit, comparison: rules }: FetchedPage,
  facts: Facts,
  bytes: number,
): Revisit | null {
  const { contentHash, rawHash, comparisonHash: hash, likeness, beyond, isSilent, isScriptOnly } = facts
  if (revisit === undefined || facts.challenge !== null || isScriptOnly || facts.isLoggedOut) return null
  if (charactersOf(facts) > maxCharacters) return null
  return {
    ...revisit,
    bytes,
    contentHash,
    rawHash,
    likeness,
    ...(rules && { comparison: { ...(hash && { hash }), rules: nameOfRules(rules) } }),
    ...(beyond.length > 0 && { beyond }),
    ...(isSilent && { silent: true }),
  }
}

const charactersOf = ({ edges }: Facts): number =>
  edges.reduce((sum, { href, anchor }) => sum + href.length + anchor.length, 0)

/** A page of an earlier run with its links unpacked. */
export type Unchanged = Pick<CopiedPage, 'contentType' | 'revisit'> & {
  metadata: { title?: string | null; x_robots_tag?: string }
  edges: Facts['edges']
}

/**
 * Returns the outcome of the page as when it was sent, or a retry if the earlier run is deleted (null) or the origin's
 * headers changed.
 */
export function outcomeOfUnchanged(page: FetchedPage, since: number, kept: Unchanged | null): Outcome {
  if (kept === null || hasChangedHeader(page, kept) || isComparedOtherwise(page, kept))
    return failureOf(page, staleCopy, true)
  const { bytes, contentHash, rawHash, comparison, likeness, beyond = [], silent, sent } = kept.revisit
  const { runId, key, attempt, fetchedAt, scope } = page
  const outcome: PageOutcome = {
    type: 'page',
    ...{ runId, key, attempt, fetchedAt, bytes, contentHash, rawHash },
    status: okStatus,
    contentType: kept.contentType,
    title: kept.metadata.title ?? null,
    links: silent ? [] : linksInScope(targetsOf(kept.edges, beyond), scope),
    notModified: { since, bytes: sent },
    ...(likeness !== null && { likeness }),
    ...(page.peer && { peer: page.peer }),
    ...(page.comparison && comparison?.hash && { comparisonHash: comparison.hash }),
  }
  return outcome
}

/** Validators are stored for responses with this status only. */
const okStatus = 200

/** A response without a body need not repeat the headers (RFC 9110, 15.4.5), but those that it has take precedence. */
const hasChangedHeader = ({ robotsHeader }: FetchedPage, { metadata }: Unchanged): boolean =>
  robotsHeader !== null && robotsHeader !== metadata.x_robots_tag

/** Returns whether the comparison hash of the copy was made by other rules, or is missing. */
const isComparedOtherwise = ({ comparison: rules }: FetchedPage, { revisit }: Unchanged): boolean =>
  rules !== undefined && revisit.comparison?.rules !== nameOfRules(rules)
