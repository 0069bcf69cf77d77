/** Statements about things, and their form as expanded JSON-LD. */
import { maxDepth } from './json-values.ts'
import { addValue, emptyRecord, type Limits } from './limits.ts'
import type { RdfaNode, RdfaValue } from './structured.ts'

export type Literal = { '@value': string; '@language'?: string; '@type'?: string }

/** An IRI, a blank node (with `_:`), a literal, or a list of these. */
export type Term = string | Literal | Term[]

export const typeIri = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'

export class Graph {
  readonly #nodes = new Map<string, Map<string, Map<string, Term>>>()
  readonly #limits: Limits
  #blanks = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Returns a new blank node. It never equals a name in a page, because it contains a space. */
  blank(): string {
    this.#blanks += 1
    return `_: ${this.#blanks}`
  }

  /** Returns whether another value fits into the limits. */
  takes(value: Term): boolean {
    return this.#limits.take(lengthOf(value))
  }

  /**
   * Adds a statement, without duplicates. Duplicates count too, because detecting them costs as much as storing them.
   */
  add(subject: string, property: string, value: Term): void {
    if (!this.#limits.take(property.length) || !this.takes(value)) return
    const known = this.#nodes.get(subject)?.get(property)
    const key = keyOf(value)
    if (known?.has(key)) return
    const properties = this.#nodes.get(subject) ?? new Map<string, Map<string, Term>>()
    this.#nodes.set(subject, properties)
    if (known === undefined) properties.set(property, new Map([[key, value]]))
    else known.set(key, value)
  }

  /**
   * Returns the statements about each thing in the order of the page. Blank nodes are inlined where they are
   * referenced.
   */
  nodes(): RdfaNode[] {
    const referred = new Set<string>()
    for (const properties of this.#nodes.values()) {
      for (const [property, values] of properties) {
        if (property !== typeIri) for (const value of values.values()) collectBlanks(value, referred)
      }
    }
    const shaper = new Shaper(this.#nodes)
    const subjects = [...this.#nodes.keys()]
    const tops = subjects.filter(subject => !referred.has(subject)).map(subject => shaper.node(subject))
    // The remaining ones form a cycle, or are nested too deeply.
    for (const subject of subjects) if (!shaper.has(subject)) tops.push(shaper.node(subject))
    return tops
  }
}

function lengthOf(value: Term): number {
  if (typeof value === 'string') return value.length
  return Array.isArray(value)
    ? value.reduce((sum, member) => sum + lengthOf(member), 0)
    : value['@value'].length
}

const keyOf = (value: Term): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? `( ${value.map(keyOf).join(' ')}`
      : `${value['@value']}" ${value['@language'] ?? ''} ${value['@type'] ?? ''}`

function collectBlanks(value: Term, found: Set<string>): void {
  if (Array.isArray(value)) for (const member of value) collectBlanks(member, found)
  else if (typeof value === 'string' && value.startsWith('_:')) found.add(value)
}

class Shaper {
  readonly #nodes: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, Term>>>
  readonly #ids = new Map<string, string>()
  readonly #shaped = new Set<string>()

  constructor(nodes: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, Term>>>) {
    this.#nodes = nodes
  }

  has(subject: string): boolean {
    return this.#shaped.has(subject)
  }

  node(subject: string, depth = 1): RdfaNode {
    this.#shaped.add(subject)
    const node: RdfaNode = emptyRecord()
    node['@id'] = this.#id(subject)
    const types = this.#nodes.get(subject)?.get(typeIri)
    if (types !== undefined) node['@type'] = [...types.values()].map(type => this.#id(String(type)))
    for (const [property, values] of this.#nodes.get(subject) ?? []) {
      if (property === typeIri) continue
      for (const value of values.values())
        addValue(node as Record<string, RdfaValue[]>, property, this.#value(value, depth + 1))
    }
    return node
  }

  #value(value: Term, depth: number): RdfaValue {
    if (Array.isArray(value)) return { '@list': value.map(member => this.#value(member, depth)) }
    if (typeof value !== 'string') return value
    const isNested = value.startsWith('_:') && this.#nodes.has(value) && !this.has(value) && depth <= maxDepth
    return isNested ? this.node(value, depth) : { '@id': this.#id(value) }
  }

  /** Returns the id. Blank nodes are numbered in order of appearance. */
  #id(subject: string): string {
    if (!subject.startsWith('_:')) return subject
    const id = this.#ids.get(subject) ?? `_:b${this.#ids.size}`
    this.#ids.set(subject, id)
    return id
  }
}
