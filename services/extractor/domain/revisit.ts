/**
 * What of a page is kept so that a later run may have it without its being sent again, and what that run is then
 * told: the same as if it had been, for the links are judged anew by its own scope.
 */
import type { CopiedPage, Revisit } from '@tidemark/content/revisits'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { staleCopy } from '@tidemark/contracts/work/revisit'
import { type Facts, targetsOf } from './facts.ts'
import { failureOf } from './failure.ts'
import { linksInScope } from './links.ts'
import type { PageOutcome } from './parts.ts'

/** Of addresses and texts of its links: what is to be told of unchanged pages is made for a whole batch at once. */
const mostCharacters = 256 * 1024

/**
 * Null where a later run has to fetch it: nobody knows it again, it is a challenge, its links are very many, or a shell
 * that stays the same whatever its scripts make of it.
 * @param bytes of the decoded body
 */
export function revisitOf({ revisit }: FetchedPage, facts: Facts, bytes: number): Revisit | null {
  const { contentHash, rawHash, likeness, beyond, isSilent, isScriptOnly } = facts
  if (revisit === undefined || facts.challenge !== null || isScriptOnly) return null
  if (charactersOf(facts) > mostCharacters) return null
  return {
    ...revisit,
    bytes,
    contentHash,
    rawHash,
    likeness,
    ...(beyond.length > 0 && { beyond }),
    ...(isSilent && { silent: true }),
  }
}

const charactersOf = ({ edges }: Facts): number =>
  edges.reduce((sum, { href, anchor }) => sum + href.length + anchor.length, 0)

/** A page that an earlier run had, its links unpacked. */
export type Unchanged = Pick<CopiedPage, 'contentType' | 'revisit'> & {
  metadata: { title?: string | null; x_robots_tag?: string }
  edges: Facts['edges']
}

/**
 * The page as it was told of when it was sent, or a retry where no earlier run has it any more (null), or the origin
 * says another thing of it now than it did then.
 */
export function outcomeOfUnchanged(page: FetchedPage, since: number, kept: Unchanged | null): Outcome {
  if (kept === null || isToldOtherwise(page, kept)) return failureOf(page, staleCopy, true)
  const { bytes, contentHash, rawHash, likeness, beyond = [], silent, sent } = kept.revisit
  const { runId, key, attempt, fetchedAt, scope } = page
  const outcome: PageOutcome = {
    type: 'page',
    ...{ runId, key, attempt, fetchedAt, bytes, contentHash, rawHash },
    status: ok,
    contentType: kept.contentType,
    title: kept.metadata.title ?? null,
    links: silent ? [] : linksInScope(targetsOf(kept.edges, beyond), scope),
    notModified: { since, bytes: sent },
    ...(likeness !== null && { likeness }),
  }
  return outcome
}

/** Only of such answers it is kept how they are known again. */
const ok = 200

/** An answer without a body need not repeat what was said with it (RFC 9110, 15.4.5); what it does say counts. */
const isToldOtherwise = ({ robotsHeader }: FetchedPage, { metadata }: Unchanged): boolean =>
  robotsHeader !== null && robotsHeader !== metadata.x_robots_tag
