/**
 * Compares the values of a page that a crawl stored with the values that today's extractor finds. Metadata is compared
 * as the API shows it, so fields that an older extractor did not store count as empty.
 */
import { metadataOf } from '@tidemark/contracts/http/page-metadata'
import { maxReplayedValue, type ReplayChange, type ReplayField } from '@tidemark/contracts/http/replay'

export type ReplayFacts = {
  title: string | null
  contentHash: string
  comparisonHash: string | null
  charset: string | null
  metadata: unknown
}

/** Returns the fields that differ, in the order of the contract. */
export function changesOf(stored: ReplayFacts, now: ReplayFacts): ReplayChange[] {
  const [before, after] = [textsOf(stored), textsOf(now)]
  const fields = Object.keys(before) as ReplayField[]
  return fields
    .filter(field => before[field] !== after[field])
    .map(field => ({ field, ...shown(before[field], after[field]) }))
}

function textsOf(facts: ReplayFacts): Record<ReplayField, string | null> {
  const { title, description, canonical, lang, robots, og, twitter, json_ld } = metadataOf(facts.metadata)
  return {
    title: facts.title,
    content_hash: facts.contentHash,
    comparison_hash: facts.comparisonHash,
    charset: facts.charset,
    'metadata.title': title,
    'metadata.description': description,
    'metadata.canonical': canonical,
    'metadata.lang': lang,
    'metadata.robots': JSON.stringify(robots),
    'metadata.og': JSON.stringify(sorted(og)),
    'metadata.twitter': JSON.stringify(sorted(twitter)),
    'metadata.json_ld': JSON.stringify(json_ld),
  }
}

/** Sorts by name, because the order of properties has no meaning. */
const sorted = (properties: Record<string, string>) =>
  Object.fromEntries(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Characters before the first difference of long values. */
const before = 100

/** Cuts long values around their first difference, which their beginnings might not show. */
function shown(stored: string | null, now: string | null): Omit<ReplayChange, 'field'> {
  const longest = Math.max(stored?.length ?? 0, now?.length ?? 0)
  if (longest <= maxReplayedValue) return { stored, now }
  const from = Math.max(0, differenceAt(stored ?? '', now ?? '') - before)
  const part = (text: string | null) => text?.slice(from, from + maxReplayedValue).toWellFormed() ?? null
  return { stored: part(stored), now: part(now), truncated: true }
}

function differenceAt(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}
