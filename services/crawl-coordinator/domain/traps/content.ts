/**
 * Kinds of pages that always say the same: a server that answers everything, a list without an end.
 *
 * Pages of the same content are enough by themselves. Pages whose text is alike, apart from their
 * links, may be the index of much that is new; they count only while none of them leads to another kind.
 */
import type { Address } from './address.ts'
import { type Kind, mostKinds, mostOrigins, remembered, type TrapMemory } from './memory.ts'

/** Equal pages are looked for among the newest of a kind; a whole branch of a site needs more of them. */
const newestOfShape = 20
const newestOfBranch = 60
const equalShare = 0.9
/** Looks that so many pages may share, one in ten of a shape; a branch may say the names of twelve months. */
const looksOfShape = 2
const looksOfBranch = 15

export function equalContent({ kinds }: TrapMemory, address: Address): string | null {
  if (kinds.size === 0) return null
  for (const { name, wanted, looks } of kindsOf(address)) {
    const kind = kinds.get(name)
    if (kind === undefined || kind.settled < wanted) continue
    const { equal, different } = kind
    if (equal >= wanted * equalShare) return `${equal} of the last ${wanted} pages of its kind are the same`
    if (kind.settled - kind.ledOnAt < wanted) continue
    if (different <= looks) {
      return `the last ${wanted} pages of its kind have only ${different} different texts, and none led to anything else`
    }
  }
  return null
}

/** @param likeness As `noteSettled` has it; null where it is not known. */
export function noteContent(
  { kinds }: TrapMemory,
  address: Address,
  contentHash: string,
  likeness: string | null,
): void {
  for (const { name, wanted } of kindsOf(address)) {
    const kind = remembered(kinds, name, mostKinds, newKind)
    if (kind === null) continue
    const at = kind.settled % wanted
    kind.contents[at] = numberOf(contentHash)
    // Where nothing is known every page looks different.
    kind.likenesses[at] = likeness === null ? -1 - kind.settled : numberOf(likeness)
    kind.settled++
    kind.equal = mostFrequent(kind.contents)
    kind.different = new Set(kind.likenesses).size
  }
}

/** Remembers of which kinds an admitted page will be, and that the page with its link led to another one. */
export function noteLink(
  { kinds, origins }: TrapMemory,
  address: Address,
  key: string,
  from: string | null,
): void {
  const names = kindsOf(address).map(({ name }) => name)
  for (const [at, name] of (from === null ? [] : (origins.get(from) ?? [])).entries()) {
    const kind = name === names[at] ? null : remembered(kinds, name, mostKinds, newKind)
    if (kind !== null) kind.ledOnAt = kind.settled
  }
  const interned = names.map(name => remembered(kinds, name, mostKinds, newKind)?.name)
  remembered(origins, key, mostOrigins, () => interned.filter(name => name !== undefined))
}

const newKind = (name: string): Kind => ({
  name,
  contents: [],
  likenesses: [],
  equal: 0,
  different: 0,
  settled: 0,
  ledOnAt: 0,
})

type Wanted = { name: string; wanted: number; looks: number }

/** The shape of its path and the names of its query; and the branch of the site that it hangs from. */
function kindsOf({ origin, segments, parameters }: Address): Wanted[] {
  const shape = segments.map(shapeOf).join('/')
  const query = parameters.map(({ name }) => name).sort()
  const branch = segments.length > 1 ? shapeOf(segments[0] ?? '') : ''
  return [
    { name: `shape ${origin}/${shape}?${query.join('&')}`, wanted: newestOfShape, looks: looksOfShape },
    { name: `branch ${origin}/${branch}`, wanted: newestOfBranch, looks: looksOfBranch },
  ]
}

/** Numbers and random tokens stand for each other, and so do spellings in upper and lower case. */
const shapeOf = (segment: string): string =>
  isToken(segment) ? '*' : segment.toLowerCase().replace(/\d+/g, '#')

const isToken = (segment: string): boolean =>
  segment.length >= 16 && /\d/.test(segment) && /^\w+$/.test(segment) && new Set(segment).size >= 8

/** Of a hash in hexadecimal, the first 31 bits: what an engine keeps without an object. */
const numberOf = (hash: string): number => Number.parseInt(hash.slice(0, 8), 16) >>> 2

function mostFrequent(values: readonly number[]): number {
  const times = new Map<number, number>()
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1)
  return Math.max(...times.values())
}
