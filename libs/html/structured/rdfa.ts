/**
 * RDFa 1.1 in HTML: the processing of RDFa Core 1.1, section 7.5, with the changes of HTML+RDFa 1.1. It supports RDFa
 * Lite and the features of older pages (`about`, `rel`, `rev`, lists). One pass in the order of the page. Each
 * element has its own context, so nesting needs no recursion.
 */
import type { Element } from 'domhandler'
import { wordsAsWritten } from '../tree/attribute.ts'
import type { Limits } from './limits.ts'
import type { MarkupLine } from './markup.ts'
import { isOpenGraph } from './open-graph.ts'
import type { Outline } from './outline.ts'
import { Graph, type Term, typeIri } from './rdfa-graph.ts'
import { literalOf, statesLiteral } from './rdfa-literal.ts'
import { curieOf, initialNames, type Names, nameOf } from './rdfa-names.ts'
import { mayState, relationsOf } from './rdfa-relations.ts'
import { namesAt } from './rdfa-scope.ts'
import { type Bearing, isHeadOrBody, Subjects } from './rdfa-subjects.ts'
import type { RdfaNode } from './structured.ts'
import type { TextLine } from './text-line.ts'

/** Incomplete lists by property, and their subject. */
type Lists = { subject: string; members: Map<string, Term[]> }

/** A statement whose object or subject is in a nested element. */
type Hanging = { list: Term[] } | { property: string; reversed: boolean }

type Context = {
  subject: string
  object: string
  hanging: readonly Hanging[]
  /** Lists of the object. */
  lists: Lists
  language: string
  names: Names
}

export type Texts = { text: () => TextLine; markup: () => MarkupLine }

/** Returns the statements of the page, without those that the Open Graph reader returns. */
export function readRdfa(outline: Outline, texts: Texts, limits: Limits): RdfaNode[] {
  return outline.elements.some(mayState) ? new Rdfa(outline, texts, limits).nodes() : []
}

class Rdfa {
  readonly #outline: Outline
  readonly #texts: Texts
  readonly #graph: Graph
  readonly #subjects: Subjects
  readonly #contexts: Context[] = []
  readonly #lists: Lists[] = []

  constructor(outline: Outline, texts: Texts, limits: Limits) {
    this.#outline = outline
    this.#texts = texts
    this.#graph = new Graph(limits)
    this.#subjects = new Subjects(outline, this.#graph)
  }

  nodes(): RdfaNode[] {
    const { base } = this.#outline
    const root: Context = {
      subject: base,
      object: base,
      hanging: [],
      lists: this.#newLists(base),
      language: '',
      names: initialNames,
    }
    for (const [position, element] of this.#outline.elements.entries()) {
      const outer = this.#contexts[this.#outline.parents[position] as number] ?? root
      this.#contexts.push(matters(element) ? this.#read(position, element, outer) : outer)
    }
    for (const { subject, members } of this.#lists)
      for (const [property, list] of members) this.#graph.add(subject, property, list)
    return this.#graph.nodes()
  }

  #read(position: number, element: Element, outer: Context): Context {
    const { attribs } = element
    const names = namesAt(attribs, outer.names)
    const language = attribs['xml:lang'] ?? attribs.lang ?? outer.language
    const rels = relationsOf(element, 'rel')
    const revs = relationsOf(element, 'rev')
    const related = rels !== null || revs !== null
    const bearing = related
      ? this.#subjects.ofRelation(element, outer.object, names)
      : this.#subjects.of(element, outer.object, names)
    const { subject, typed, skip } = bearing
    this.#stateTypes(typed, attribs.typeof, names)
    const here = { ...outer, names, language }
    if (!skip && subject !== outer.object) here.lists = this.#newLists(subject)
    const found: Hanging[] = []
    if (related) this.#relate(element, here, bearing, { rels: rels ?? [], revs: revs ?? [] }, found)
    if (attribs.property !== undefined) this.#stateProperties(position, element, here, bearing, related)
    if (skip) return here
    this.#complete(outer, subject)
    const object = bearing.object ?? (found.length > 0 ? this.#graph.blank() : subject)
    const lists = object === subject ? here.lists : this.#newLists(object)
    return { ...here, subject, object, lists, hanging: found }
  }

  /** Applies step 7. */
  #stateTypes(typed: string | null, types: string | undefined, names: Names): void {
    if (typed === null) return
    for (const written of wordsAsWritten(types)) {
      const type = nameOf(written, names)
      if (type !== null) this.#graph.add(typed, typeIri, type)
    }
  }

  /** Applies steps 9 and 10. */
  #relate(
    { attribs }: Element,
    here: Context,
    { subject, object }: Bearing,
    { rels, revs }: { rels: string[]; revs: string[] },
    hanging: Hanging[],
  ): void {
    const inList = attribs.inlist !== undefined
    for (const property of namesOf(rels, here.names)) {
      if (inList && object !== null) this.#addTo(listOf(here.lists, property), object)
      else if (inList) hanging.push({ list: listOf(here.lists, property) })
      else if (object !== null) this.#graph.add(subject, property, object)
      else hanging.push({ property, reversed: false })
    }
    for (const property of namesOf(revs, here.names)) {
      if (object !== null) this.#graph.add(object, property, subject)
      else hanging.push({ property, reversed: true })
    }
  }

  /** Applies step 11. */
  #stateProperties(
    position: number,
    element: Element,
    here: Context,
    bearing: Bearing,
    related: boolean,
  ): void {
    const written = wordsAsWritten(element.attribs.property)
    const properties = namesOf(
      element.name === 'meta' ? written.filter(isStatement(here.names)) : written,
      here.names,
    )
    if (properties.length === 0) return
    const value = this.#valueOf(position, element, here, bearing, related)
    for (const property of properties) {
      if (element.attribs.inlist !== undefined) this.#addTo(listOf(here.lists, property), value)
      else this.#graph.add(bearing.subject, property, value)
    }
  }

  #valueOf(
    position: number,
    element: Element,
    { names, language }: Context,
    { typed }: Bearing,
    related: boolean,
  ): Term {
    const { attribs } = element
    if (!statesLiteral(element)) {
      const target = related ? null : this.#subjects.target(attribs, names)
      if (target !== null) return target
      if (typed !== null && attribs.about === undefined) return typed
    }
    const content = {
      text: () => this.#texts.text().of(position).trim(),
      markup: () => this.#texts.markup().inside(position),
    }
    return literalOf(element, content, names, language)
  }

  /** Applies step 12. */
  #complete({ hanging, subject }: Context, found: string): void {
    for (const one of hanging) {
      if ('list' in one) this.#addTo(one.list, found)
      else if (one.reversed) this.#graph.add(found, one.property, subject)
      else this.#graph.add(subject, one.property, found)
    }
  }

  #addTo(list: Term[], value: Term): void {
    if (this.#graph.takes(value)) list.push(value)
  }

  #newLists(subject: string): Lists {
    const lists = { subject, members: new Map<string, Term[]>() }
    this.#lists.push(lists)
    return lists
  }
}

const matter = [
  'property',
  'rel',
  'rev',
  'typeof',
  'about',
  'resource',
  'href',
  'src',
  'vocab',
  'prefix',
  'lang',
]

/** Returns whether an element could affect itself or its content. */
const matters = (element: Element): boolean => {
  const { name, attribs } = element
  if (name === 'html' || isHeadOrBody(element)) return true
  for (const attribute in attribs) if (matter.includes(attribute) || attribute.startsWith('xml')) return true
  return false
}

/**
 * Returns whether a name is a statement. A `<meta>` of Open Graph has its own reader, and keys that only look like a
 * CURIE (`twitter:card`, `al:ios:url`) are not statements.
 */
const isStatement =
  ({ prefixes }: Names) =>
  (name: string): boolean =>
    !isOpenGraph(name) && (!name.includes(':') || name.includes('://') || curieOf(name, prefixes) !== null)

/** Maximum names in one attribute, because they multiply with the content of the element. */
const maxNames = 32

const namesOf = (written: readonly string[], names: Names): string[] =>
  written
    .slice(0, maxNames)
    .map(name => nameOf(name, names))
    .filter(name => name !== null)

function listOf({ members }: Lists, property: string): Term[] {
  const list = members.get(property) ?? []
  members.set(property, list)
  return list
}
