/** The structured data of a page as the rules look at them: blocks that are no JSON, and items of both syntaxes alike. */
import { readBlock, typesOf } from '@tidemark/html/structured/json-ld'
import { readStructured } from '@tidemark/html/structured/read-structured'
import type { MicrodataItem, StructuredError } from '@tidemark/html/structured/structured'
import { rawTextOf } from '@tidemark/html/tree/text-of'
import { walk } from '@tidemark/html/tree/walk'
import type { Document, Element } from 'domhandler'

/** Something that is described. Types are names of schema.org where they are of schema.org. */
export type Item = { types: string[]; syntax: 'JSON-LD' | 'microdata'; properties: Record<string, unknown> }

/** A block of JSON-LD that is not what it says; `position` is in UTF-16 units from its start. */
export type BrokenBlock = { block: number; says: string }

export type Described = {
  broken: BrokenBlock[]
  /** Objects of JSON-LD that stand for themselves: neither members of a graph nor nested. */
  roots: Record<string, unknown>[]
  /** What stands for itself: roots, members of graphs, items of microdata. */
  items: Item[]
  /** Of what was too much or too deep to be read. */
  errors: StructuredError[]
}

const mostItems = 2000

export function describedIn(document: Document, url: string): Described {
  const { data, errors } = readStructured(document, { url })
  const { broken, roots } = readJsonLd(document)
  const items = [...roots.flatMap(membersOf).map(itemOf), ...data.microdata.map(microdataItem)]
  return {
    broken,
    roots,
    items: items.slice(0, mostItems),
    errors: errors.filter(({ reason }) => reason === 'too-much' || reason === 'too-long'),
  }
}

/** Nodes that stand for themselves; those of one id in a graph are one. */
function membersOf(root: Record<string, unknown>): Record<string, unknown>[] {
  const graph = root['@graph']
  if (!Array.isArray(graph)) return [root]
  const byId = new Map<unknown, Record<string, unknown>>()
  for (const member of graph) {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) continue
    const id = typeof member['@id'] === 'string' ? member['@id'] : member
    byId.set(id, Object.assign(byId.get(id) ?? {}, member))
  }
  return [...byId.values()]
}

const itemOf = (node: Record<string, unknown>): Item => ({
  types: typesOf(node).map(nameOf),
  syntax: 'JSON-LD',
  properties: node,
})

const microdataItem = (item: MicrodataItem): Item => ({
  types: (item.type ?? []).map(nameOf),
  syntax: 'microdata',
  properties: item.properties,
})

/** The name of a type of schema.org, however its address is written; others as they are. */
export const nameOf = (type: string): string =>
  type.trim().replace(/^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)/i, '')

/** RFC 8259 alone: what we read with good will a search engine need not. */
function readJsonLd(document: Document): Pick<Described, 'broken' | 'roots'> {
  const found: Pick<Described, 'broken' | 'roots'> = { broken: [], roots: [] }
  for (const [at, script] of jsonLdScripts(document).entries()) {
    const text = rawTextOf(script)
    const { items, fault } = readBlock(text)
    const says = fault === null ? strictFault(text) : told(fault.reason, text, fault.position)
    if (says !== null) found.broken.push({ block: at + 1, says })
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
    return told('not strict JSON', text, Number(position))
  }
}

function told(reason: string, text: string, position: number): string {
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
