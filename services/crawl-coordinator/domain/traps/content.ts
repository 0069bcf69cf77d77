/**
 * Detects kinds of pages whose content is always equal: a server that answers every URL, an endless list.
 *
 * A kind is a trap if its pages are equal in text and other content. Pages that are equal only in text may be the
 * index of new content, or a list that ends. They count only while none of them leads to another kind, and only if
 * such pages lead to ever more of their kind.
 */
import type { Address } from './address.ts'
import { getOrCreate, type Kind, maxKinds, maxOrigins, type TrapMemory } from './memory.ts'

/**
 * Number of the newest pages of a kind that are compared. It exceeds the longest chain of links that a run follows: at
 * the maximum depth of 50 a chain has 51 pages.
 */
const compared = 60
const equalShare = 0.9
/**
 * Maximum number of different texts in a trap, for a shape and for a branch. A branch may contain the names of twelve
 * months.
 */
const looksOfShape = 2
const looksOfBranch = 15
/** Minimum share of the pages of an endless kind that lead to new pages of it. One index of a finite list has less. */
const leadingShare = 0.1

export function equalContent({ kinds }: TrapMemory, address: Address): string | null {
  if (kinds.size === 0) return null
  for (const { name, looks } of kindsOf(address)) {
    const kind = kinds.get(name)
    if (kind === undefined || kind.settled < compared) continue
    const { equal, different } = kind
    if (equal >= compared * equalShare)
      return `${equal} of the last ${compared} pages of its kind are the same`
    if (kind.settled - kind.ledOnAt < compared || kind.leading < kind.settled * leadingShare) continue
    if (different <= looks) {
      return `the last ${compared} pages of its kind have only ${different} different texts, and none of them led to pages of another kind`
    }
  }
  return null
}

/**
 * Records the content of a settled page.
 * @param likeness as in `noteSettled`; null if it is unknown
 */
export function noteContent(
  { kinds }: TrapMemory,
  address: Address,
  contentHash: string,
  likeness: string | null,
): void {
  for (const { name } of kindsOf(address)) {
    const kind = getOrCreate(kinds, name, maxKinds, newKind)
    if (kind === null) continue
    const at = kind.settled % compared
    const content = numberOf(contentHash)
    // The pages of a gallery have equal text and different pictures.
    kind.contents[at] = likeness === null ? content : (Math.imul(content, 31) + numberOf(likeness)) | 0
    // Without a likeness every page counts as different.
    kind.likenesses[at] = likeness === null ? -1 - kind.settled : numberOf(likeness)
    kind.settled++
    kind.equal = highestFrequency(kind.contents)
    kind.different = new Set(kind.likenesses).size
  }
}

/** Records the kinds of an admitted page, and whether the linking page led to another kind or to its own kind. */
export function noteLink(
  { kinds, origins }: TrapMemory,
  address: Address,
  key: string,
  from: string | null,
): void {
  const names = kindsOf(address).map(({ name }) => name)
  for (const [at, name] of (from === null ? [] : (origins.get(from) ?? [])).entries()) {
    const kind = getOrCreate(kinds, name, maxKinds, newKind)
    if (kind === null) continue
    if (name !== names[at]) kind.ledOnAt = kind.settled
    else if (kind.lastLeading !== from) {
      // The links of one page are admitted together, so this comparison counts each page once.
      kind.leading++
      kind.lastLeading = from
    }
  }
  const interned = names.map(name => getOrCreate(kinds, name, maxKinds, newKind)?.name)
  getOrCreate(origins, key, maxOrigins, () => interned.filter(name => name !== undefined))
}

const newKind = (name: string): Kind => ({
  name,
  contents: [],
  likenesses: [],
  equal: 0,
  different: 0,
  settled: 0,
  ledOnAt: 0,
  leading: 0,
  lastLeading: null,
})

/**
 * Returns the kinds of a URL: its shape (its path without numbers, and its parameter names) and its branch of the
 * site.
 */
function kindsOf({ origin, segments, parameters }: Address): { name: string; looks: number }[] {
  const shape = segments.map(shapeOf).join('/')
  const query = parameters.map(({ name }) => name).sort()
  const branch = segments.length > 1 ? shapeOf(segments[0] ?? '') : ''
  return [
    { name: `shape ${origin}/${shape}?${query.join('&')}`, looks: looksOfShape },
    { name: `branch ${origin}/${branch}`, looks: looksOfBranch },
  ]
}

/** Returns a segment in lower case, with placeholders for numbers and random tokens. */
const shapeOf = (segment: string): string =>
  isToken(segment) ? '*' : segment.toLowerCase().replace(/\d+/g, '#')

const isToken = (segment: string): boolean =>
  segment.length >= 16 && /\d/.test(segment) && /^\w+$/.test(segment) && new Set(segment).size >= 8

/** Returns the first 30 bits of a hexadecimal hash, because the engine stores small integers without an object. */
const numberOf = (hash: string): number => Number.parseInt(hash.slice(0, 8), 16) >>> 2

function highestFrequency(values: readonly number[]): number {
  const times = new Map<number, number>()
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1)
  return Math.max(...times.values())
}
