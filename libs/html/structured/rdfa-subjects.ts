/** Finds the subject of each element: RDFa Core 1.1, 7.5, steps 5 and 6, and HTML+RDFa 1.1, 3.1. */
import type { Element } from 'domhandler'
import type { Outline } from './outline.ts'
import type { Graph } from './rdfa-graph.ts'
import { curieOf, type Names } from './rdfa-names.ts'

export type Bearing = {
  /** Subject of its properties. */
  subject: string
  /** Object of its relations and subject of its content, or null if that is the subject. */
  object: string | null
  /** Subject of its types. */
  typed: string | null
  /** Whether its children keep the outer subject (the "skip element" flag). */
  skip: boolean
}

export class Subjects {
  readonly #outline: Outline
  readonly #graph: Graph

  constructor(outline: Outline, graph: Graph) {
    this.#outline = outline
    this.#graph = graph
  }

  /** Applies step 5: without `rel` and `rev`. */
  of(element: Element, around: string, names: Names): Bearing {
    const { attribs } = element
    const about =
      this.#resource(attribs.about, names) ?? (element.name === 'html' ? this.#outline.base : null)
    const isTyped = attribs.typeof !== undefined
    if (attribs.property !== undefined && !hasOwnValue(attribs)) {
      const subject = about ?? around
      const named = about ?? this.target(attribs, names) ?? (isHeadOrBody(element) ? around : null)
      const typed = isTyped ? (named ?? this.#graph.blank()) : null
      return { subject, object: typed, typed, skip: false }
    }
    const stated = this.#resource(attribs.about, names) ?? this.target(attribs, names) ?? about
    const inherits = stated === null && (!isTyped || isHeadOrBody(element))
    const subject = stated ?? (inherits ? around : this.#graph.blank())
    const skip = inherits && !isHeadOrBody(element) && attribs.property === undefined
    return { subject, object: null, typed: isTyped ? subject : null, skip }
  }

  /** Applies step 6: with `rel` or `rev`. */
  ofRelation(element: Element, around: string, names: Names): Bearing {
    const { attribs } = element
    const about = this.#resource(attribs.about, names)
    const subject = about ?? (element.name === 'html' ? this.#outline.base : around)
    const isTyped = attribs.typeof !== undefined
    const target = this.target(attribs, names)
    const object = target ?? (isTyped && about === null ? this.#graph.blank() : null)
    return { subject, object, typed: isTyped ? (about ?? object) : null, skip: false }
  }

  /** Returns the first of `resource`, `href` and `src` with a meaning. */
  target(attribs: Element['attribs'], names: Names): string | null {
    const address = attribs.href ?? attribs.src
    return (
      this.#resource(attribs.resource, names) ??
      (address === undefined ? null : this.#outline.resolve(address))
    )
  }

  /** Returns a safe CURIE, CURIE or IRI (7.4.2). A safe CURIE without meaning is ignored. */
  #resource(written: string | undefined, { prefixes }: Names): string | null {
    if (written === undefined) return null
    const value = written.trim()
    if (value.startsWith('[') && value.endsWith(']')) return curieOf(value.slice(1, -1), prefixes)
    return curieOf(value, prefixes) ?? this.#outline.resolve(value)
  }
}

/** Returns whether an element is `head` or `body`, whose default subject is the surrounding one. */
export const isHeadOrBody = ({ name }: Element): boolean => name === 'head' || name === 'body'

const hasOwnValue = (attribs: Element['attribs']): boolean =>
  attribs.content !== undefined || attribs.datatype !== undefined
