/**
 * Reads one block of JSON-LD (JSON-LD 1.1, section 7) as it is written, without fetching, expanding or guessing. The
 * result is harmless data. An unreadable block has a reason and a position.
 */
import { cleaned } from './json-values.ts'
import { type JsonFault, type JsonResult, parseLenient } from './lenient-json.ts'

/** Characters of a block. */
export const maxBlockLength = 512 * 1024

/** The content of a block. `fault` is the reason for an empty one, or null. */
export type JsonLdBlock = { items: object[]; fault: JsonFault | null }

/**
 * The objects of a block in their order: an array stands for its members, a `@graph` stays inside its object,
 * for its context is there. Empty when the block cannot be read. Never throws.
 * @param text What stands between `<script type="application/ld+json">` and its end.
 */
export const readJsonLd = (text: string): object[] => readBlock(text).items

/** As `readJsonLd`, with the reason when there is nothing to read. */
export function readBlock(text: string): JsonLdBlock {
  if (text.length > maxBlockLength) return broken({ reason: 'too-long', position: maxBlockLength })
  const { value, fault } = parse(text)
  if (fault !== null) return broken(fault)
  if (typeof value !== 'object' || value === null) return broken({ reason: 'not-an-object', position: 0 })
  if (!cleaned(value)) return broken({ reason: 'too-deep', position: 0 })
  return { items: itemsOf(value), fault: null }
}

/**
 * Returns every object that describes something, from the outside in: the items, the members of their `@graph`, and all
 * objects nested in these. Contexts do not count.
 */
export function* nodesOf(items: readonly object[]): Generator<Record<string, unknown>> {
  const open: unknown[] = [...items].reverse()
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) yield value as Record<string, unknown>
    const members = Array.isArray(value) ? [...value] : membersOf(value)
    for (const member of members.reverse()) open.push(member)
  }
}

/** The types a node states, as they are written. */
export function typesOf(node: Readonly<Record<string, unknown>>): string[] {
  const stated = node['@type']
  const types: unknown[] = Array.isArray(stated) ? stated : [stated]
  return types.filter(type => typeof type === 'string')
}

const broken = (fault: JsonFault): JsonLdBlock => ({ items: [], fault })

function parse(text: string): JsonResult {
  try {
    return { value: JSON.parse(text), fault: null }
  } catch {
    return parseLenient(text)
  }
}

const itemsOf = (value: object): object[] =>
  (Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value]).filter(
    item => typeof item === 'object' && item !== null,
  )

const membersOf = (node: object): unknown[] =>
  Object.entries(node)
    .filter(([name]) => name !== '@context')
    .map(([, value]) => value)
