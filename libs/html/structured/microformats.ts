/**
 * microformats2, and the older formats that it replaced ("microformats2 parsing" with backward compatibility, the
 * value class pattern and the include pattern). One pass over the elements of each item. Items beyond the limits of
 * depth and size are left out.
 */
import type { Element } from 'domhandler'
import { wordsAsWritten } from '../tree/attribute.ts'
import { maxDepth } from './json-values.ts'
import { addValue, emptyRecord, type Limits } from './limits.ts'
import {
  isFormat,
  mayBegin,
  olderPropertiesIn,
  olderRootsIn,
  olderWithItems,
  type Property,
  type PropertyKind,
  propertiesIn,
  rootsIn,
} from './microformat-classes.ts'
import { dateIn, timeOf } from './microformat-dates.ts'
import { Implied } from './microformat-implied.ts'
import { Values } from './microformat-values.ts'
import { firstFrom, type Outline } from './outline.ts'
import type { Microformat, MicroformatValue } from './structured.ts'

type Root = { types: string[]; older: boolean }

/** The properties of an item so far. */
type Found = {
  root: Root
  depth: number
  properties: Record<string, MicroformatValue[]>
  children: Microformat[]
  kinds: Set<PropertyKind>
  nests: boolean
  /** Ids of elements that it includes. */
  includes: string[]
  /** The last date of the item, for times without a date. */
  date: string | null
}

/** Maximum elements of the whole page that are visited because of an include. */
const maxIncluded = 100_000

/**
 * Returns the microformats of a page.
 * @param report Called when an item is nested too deeply.
 */
export function readMicroformats(outline: Outline, limits: Limits, report: () => void): Microformat[] {
  const may = outline.elements.some(({ attribs }) => attribs.class !== undefined && mayBegin(attribs.class))
  return may ? new Microformats(outline, limits, report).items() : []
}

class Microformats {
  readonly #outline: Outline
  readonly #limits: Limits
  readonly #report: () => void
  readonly #classes: (readonly string[])[]
  readonly #roots: (Root | null)[]
  readonly #values: Values
  readonly #implied: Implied
  #included = maxIncluded
  #isIncluding = false

  constructor(outline: Outline, limits: Limits, report: () => void) {
    this.#outline = outline
    this.#limits = limits
    this.#report = report
    this.#classes = outline.elements.map(({ attribs }) => wordsAsWritten(attribs.class))
    this.#roots = rootsOf(outline, this.#classes)
    const isRoot = (position: number): boolean => this.#roots[position] !== null
    this.#values = new Values(outline, limits, isRoot)
    this.#implied = new Implied(outline, this.#values, isRoot)
  }

  items(): Microformat[] {
    const items: Microformat[] = []
    for (let at = 0; at < this.#roots.length; ) {
      const root = this.#roots[at] ?? null
      if (root !== null && this.#limits.take()) items.push(this.#item(at, root, 1))
      at = root === null ? at + 1 : this.#outline.end(at)
    }
    return items
  }

  #item(position: number, root: Root, depth: number): Microformat {
    const element = this.#outline.element(position)
    const found = nothing(root, depth)
    this.#collect(position + 1, this.#outline.end(position), found)
    if (root.older) this.#include(position, [...referredBy(element), ...found.includes], found)
    else this.#imply(position, found)
    const id = element.attribs.id ?? ''
    return {
      type: root.types,
      ...(id !== '' && { id: this.#limits.text(id) ?? '' }),
      properties: found.properties,
      ...(found.children.length > 0 && { children: found.children }),
    }
  }

  #collect(start: number, end: number, found: Found): void {
    for (let at = start; at < end; ) {
      const root = this.#nestedRoot(at, found.root)
      const properties = this.#propertiesOf(at, found.root)
      if (root !== null) this.#addNested(at, root, properties, found)
      else for (const property of properties) this.#add(found, property, this.#values.of(at, property.kind))
      const id = includedBy(this.#outline.element(at), this.#classes[at] ?? [])
      if (id !== null) found.includes.push(id)
      at = root === null ? at + 1 : this.#outline.end(at)
    }
  }

  /** Includes elements by id. Included elements cannot include others. */
  #include(position: number, ids: readonly string[], found: Found): void {
    if (this.#isIncluding) return
    this.#isIncluding = true
    for (const id of new Set(ids)) {
      const start = this.#outline.byId(id)
      const end = start === -1 ? -1 : this.#outline.end(start)
      const isInside = start >= position && start < this.#outline.end(position)
      const isAround = start <= position && end > position
      if (start === -1 || isInside || isAround) continue
      this.#included -= end - start
      if (this.#included >= 0) this.#collect(start, end, found)
      else this.#limits.exceeded = true
    }
    this.#isIncluding = false
  }

  #nestedRoot(position: number, { types, older }: Root): Root | null {
    const root = this.#roots[position] ?? null
    const isItem = root === null && older && this.#classes[position]?.includes('item')
    return isItem && types.some(type => olderWithItems.has(type)) ? { types: ['h-item'], older } : root
  }

  #propertiesOf(position: number, { types, older }: Root): Property[] {
    const classes = this.#classes[position] ?? []
    if (!older) return classes.length === 0 ? [] : propertiesIn(classes)
    return olderPropertiesIn(types, classes, this.#outline.element(position).attribs.rel)
  }

  #addNested(position: number, root: Root, properties: readonly Property[], found: Found): void {
    found.nests = true
    if (found.depth === maxDepth) this.#report()
    if (found.depth === maxDepth || !this.#limits.take()) return
    const { made, again } = this.#limits.measured(() => this.#item(position, root, found.depth + 1))
    if (properties.length === 0) found.children.push(made)
    for (const [index, property] of properties.entries()) {
      if (index > 0 && !again()) return
      const own = this.#values.of(position, property.kind)
      const { value, ...html } = typeof own === 'string' ? { value: own } : own
      const stated = statedBy(made, property.kind) ?? value
      this.#add(found, property, { ...made, ...('html' in html && html), value: stated })
    }
  }

  #add(found: Found, { kind, name }: Property, value: MicroformatValue): void {
    found.kinds.add(kind)
    const dated = kind === 'dt' && typeof value === 'string' ? this.#dated(found, value) : value
    const kept = this.#kept(dated)
    if (kept !== null) addValue(found.properties, name, kept)
  }

  /** Returns the time. A time of day without a date gets the date of the previous one. */
  #dated(found: Found, value: string): string {
    const time = found.date === null ? null : timeOf(value)
    found.date = dateIn(value) ?? found.date
    return time === null ? value : `${found.date} ${time}`
  }

  #kept(value: MicroformatValue): MicroformatValue | null {
    if (typeof value === 'string') return this.#limits.text(value)
    const kept = { ...value }
    for (const name of ['value', 'alt', 'html'] as const) {
      const text = (value as Partial<Record<typeof name, string>>)[name]
      if (text === undefined) continue
      const own = this.#limits.text(text)
      if (own === null) return null
      Object.assign(kept, { [name]: own })
    }
    return kept
  }

  #imply(position: number, found: Found): void {
    const { properties, kinds, nests } = found
    if (nests) return
    if (!('name' in properties) && !kinds.has('p') && !kinds.has('e'))
      this.#add(found, { kind: 'p', name: 'name' }, this.#implied.name(position))
    if (kinds.has('u')) return
    const photo = this.#implied.photo(position)
    const url = this.#implied.address(position)
    if (photo !== null) this.#add(found, { kind: 'u', name: 'photo' }, photo)
    if (url !== null) this.#add(found, { kind: 'u', name: 'url' }, url)
  }
}

const nothing = (root: Root, depth: number): Found => ({
  root,
  depth,
  properties: emptyRecord(),
  children: [],
  kinds: new Set(),
  nests: false,
  includes: [],
  date: null,
})

/**
 * Returns the roots. A root with a custom name counts only with a property, because style sheets have such names too.
 */
function rootsOf(outline: Outline, classes: readonly (readonly string[])[]): (Root | null)[] {
  const roots = classes.map(rootOf)
  const properties: number[] = []
  for (const [position, words] of classes.entries())
    if (propertiesIn(words).length > 0) properties.push(position)
  return roots.map((root, position) => {
    if (root === null || root.older || isFormat(root.types)) return root
    const next = properties[firstFrom(properties, position + 1)]
    return next !== undefined && next < outline.end(position) ? root : null
  })
}

function rootOf(classes: readonly string[]): Root | null {
  if (classes.length === 0) return null
  const types = rootsIn(classes)
  if (types.length > 0) return { types, older: false }
  const older = olderRootsIn(classes)
  return older.length > 0 ? { types: older, older: true } : null
}

/** Returns the nested item's own name or address for a property that needs one. */
function statedBy({ properties }: Microformat, kind: PropertyKind): string | null {
  const stated = kind === 'p' ? properties.name?.[0] : kind === 'u' ? properties.url?.[0] : undefined
  return typeof stated === 'object' ? (stated.value ?? null) : (stated ?? null)
}

/** Returns the ids that the element of an item refers to. */
function referredBy({ name, attribs }: Element): string[] {
  const isCell = name === 'td' || name === 'th'
  return [...wordsAsWritten(attribs.itemref), ...(isCell ? wordsAsWritten(attribs.headers) : [])]
}

/** Returns the id that an element of class `include` refers to, or null. */
function includedBy({ name, attribs }: Element, classes: readonly string[]): string | null {
  if (!classes.includes('include')) return null
  const address = name === 'a' ? attribs.href : name === 'object' ? attribs.data : undefined
  return address?.startsWith('#') ? address.slice(1) : null
}
