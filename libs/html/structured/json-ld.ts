/**
 * Reads one block of JSON-LD (JSON-LD 1.1, section 7) literally: nothing is fetched, expanded or guessed. The result
 * is sanitized. An unreadable block has a reason and a position.
 */
import { clean } from './json-values.ts'
import { type JsonFault, type JsonResult, parseLenient } from './lenient-json.ts'

/** Maximum characters of a block. */
export const maxBlockLength = 512 * 1024

/** Returns whether the `type` of a script is that of JSON-LD, possibly with parameters. */
export const isJsonLdType = (type = ''): boolean =>
  /^\s*application\/ld\+json\s*(?:;|$)/i.test(type.slice(0, 100))

/** The items of a block. `fault` is the reason for an empty list, or null. */
export type JsonLdBlock = { items: object[]; fault: JsonFault | null }

/**
 * Returns the objects of a block in order. An array is replaced by its members. A `@graph` stays inside its object,
 * which has its context. Empty for an unreadable block. Never throws.
 * @param text Text between `<script type="application/ld+json">` and its end.
 */
export const readJsonLd = (text: string): object[] => readBlock(text).items

/** Reads a block like `readJsonLd`, and adds the reason if nothing can be read. */
export function readBlock(text: string): JsonLdBlock {
  if (text.length > maxBlockLength) return broken({ reason: 'too-long', position: maxBlockLength })
  const { value, fault } = parse(text)
  if (fault !== null) return broken(fault)
  if (typeof value !== 'object' || value === null) return broken({ reason: 'not-an-object', position: 0 })
  if (!clean(value)) return broken({ reason: 'too-deep', position: 0 })
  return { items: itemsOf(value), fault: null }
}

/**
 * Yields every object that describes something, from the outside in: the items, the members of their `@graph`, and
 * all objects nested in these, without contexts.
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

/** Returns types of schema.org by their name, in all spellings of their address, and others unchanged. */
export const nameOfType = (type: string): string =>
  type.trim().replace(/^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)/i, '')

/** Returns the types of a node as written. */
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
