/** Structured data of a page in the form that the rules use: invalid blocks, and items of both syntaxes. */
import { nameOfType, nodesOf, readBlock, typesOf } from '@tidemark/html/structured/json-ld'
import { readStructured } from '@tidemark/html/structured/read-structured'
import type { MicrodataItem, StructuredError } from '@tidemark/html/structured/structured'
import { rawTextOf } from '@tidemark/html/tree/raw-text'
import { walk } from '@tidemark/html/tree/walk'
import { isObject } from '@tidemark/schema/bounds'
import type { Document, Element } from 'domhandler'

/** A described item. Names of schema.org types are without their URL. */
export type Item = {
  types: string[]
  syntax: 'JSON-LD' | 'microdata'
  properties: Record<string, unknown>
  /** Whether a property of another item refers to it by its id: in JSON-LD 1.1 the same as an item nested there. */
  isReferenced: boolean
}

/** An invalid block of JSON-LD. `block` is its number, from 1. */
export type BrokenBlock = { block: number; message: string }

export type StructuredData = {
  broken: BrokenBlock[]
  /** Top-level JSON-LD objects, neither members of a graph nor nested. */
  roots: Record<string, unknown>[]
  /** Top-level items: roots, members of graphs and microdata items. */
  items: Item[]
  /** Syntaxes that were cut because they are too large or too deep. */
  errors: StructuredError[]
}

const maxItems = 2000

export function structuredDataIn(document: Document, url: string): StructuredData {
  const { data, errors } = readStructured(document, { url })
  const { broken, roots } = readJsonLd(document)
  const references = referencesIn(roots)
  const nodes = roots.flatMap(root => merged(membersOf(root))).map(node => itemOf(node, references))
  const items = [...nodes, ...data.microdata.map(microdataItem)]
  return {
    broken,
    roots,
    items: items.slice(0, maxItems),
    errors: errors.filter(({ reason }) => reason === 'too-much' || reason === 'too-long'),
  }
}

/** Returns the members of the graph of an object, or the object itself if it has none. */
function membersOf(root: Record<string, unknown>): Record<string, unknown>[] {
  const { '@graph': graph } = root
  return typeof graph === 'object' && graph !== null ? [graph].flat().filter(isObject) : [root]
}

/** Returns the nodes of a graph. Nodes with the same id are merged. */
function merged(members: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  const byId = new Map<unknown, Record<string, unknown>>()
  for (const member of members) {
    const id = typeof member['@id'] === 'string' ? member['@id'] : member
    byId.set(id, Object.assign(byId.get(id) ?? {}, member))
  }
  return [...byId.values()]
}

/** Returns the ids that properties of other top-level nodes have as values. */
function referencesIn(roots: readonly Record<string, unknown>[]): Set<unknown> {
  const found = new Set<unknown>()
  for (const member of roots.flatMap(membersOf))
    for (const node of nodesOf([member]))
      if (node !== member && node['@id'] !== member['@id']) found.add(node['@id'])
  return found
}

const itemOf = (node: Record<string, unknown>, references: ReadonlySet<unknown>): Item => ({
  types: typesOf(node).map(nameOfType),
  syntax: 'JSON-LD',
  properties: node,
  isReferenced: typeof node['@id'] === 'string' && references.has(node['@id']),
})

const microdataItem = (item: MicrodataItem): Item => ({
  types: (item.type ?? []).map(nameOfType),
  syntax: 'microdata',
  properties: item.properties,
  isReferenced: false,
})

/** Accepts strict JSON only (RFC 8259), because search engines need not tolerate what our parser tolerates. */
function readJsonLd(document: Document): Pick<StructuredData, 'broken' | 'roots'> {
  const found: Pick<StructuredData, 'broken' | 'roots'> = { broken: [], roots: [] }
  for (const [at, script] of jsonLdScripts(document).entries()) {
    const text = rawTextOf(script)
    const { items, fault } = readBlock(text)
    const message = fault === null ? strictFault(text) : syntaxFault(fault.reason, text, fault.position)
    if (message !== null) found.broken.push({ block: at + 1, message })
    else for (const item of items) found.roots.push(item as Record<string, unknown>)
  }
  return found
}

function strictFault(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    const [, position = '0'] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? []
    return syntaxFault('not strict JSON', text, Number(position))
  }
}

function syntaxFault(reason: string, text: string, position: number): string {
  const around = text.slice(Math.max(0, position - 20), position + 20).trim()
  return `${reason} at character ${position + 1}: ${around || '(nothing)'}`
}

function jsonLdScripts(document: Document): Element[] {
  const found: Element[] = []
  walk(document, {
    enter: element => {
      const isScript = element.name === 'script' && element.namespace === undefined
      if (isScript && /^\s*application\/ld\+json\s*(?:;|$)/i.test((element.attribs.type ?? '').slice(0, 100)))
        found.push(element)
      return element.name !== 'template'
    },
  })
  return found
}
