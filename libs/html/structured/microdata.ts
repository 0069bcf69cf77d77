/**
 * Microdata (WHATWG HTML, 5): the items that are not properties of others, with their own properties and those that
 * their `itemref` names. Items within themselves, and items beyond the limits, are left out.
 */
import type { Element } from 'domhandler'
import { wordsAsWritten } from '../tree/attribute.ts'
import { maxDepth } from './json-values.ts'
import { addValue, emptyRecord, type Limits } from './limits.ts'
import { firstFrom, type Outline } from './outline.ts'
import type { MicrodataItem } from './structured.ts'
import type { TextLine } from './text-line.ts'

/** Maximum elements of the whole page that are visited because of an `itemref`. */
const maxReferred = 200_000

export type MicrodataFault = 'cycle' | 'too-deep'

/** Returns the items in the order of the page, and reports each fault. */
export function readMicrodata(
  outline: Outline,
  text: () => TextLine,
  limits: Limits,
  report: (fault: MicrodataFault) => void,
): MicrodataItem[] {
  return new Microdata(outline, text, limits, report).items()
}

class Microdata {
  readonly #outline: Outline
  readonly #text: () => TextLine
  readonly #limits: Limits
  readonly #report: (fault: MicrodataFault) => void
  /** Positions of elements with `itemscope` or `itemprop`. */
  readonly #marked: number[] = []
  readonly #properties = new Map<number, readonly number[]>()
  #referred = maxReferred

  constructor(
    outline: Outline,
    text: () => TextLine,
    limits: Limits,
    report: (fault: MicrodataFault) => void,
  ) {
    this.#outline = outline
    this.#text = text
    this.#limits = limits
    this.#report = report
    for (const [position, { attribs }] of outline.elements.entries()) {
      if (attribs.itemscope !== undefined || attribs.itemprop !== undefined) this.#marked.push(position)
    }
  }

  items(): MicrodataItem[] {
    const items: MicrodataItem[] = []
    for (const position of this.#marked) {
      const { attribs } = this.#outline.element(position)
      const isTop = attribs.itemscope !== undefined && attribs.itemprop === undefined
      if (isTop && this.#limits.take()) items.push(this.#item(position, []))
    }
    return items
  }

  /** @param around The surrounding items, innermost last. */
  #item(position: number, around: readonly number[]): MicrodataItem {
    const { attribs } = this.#outline.element(position)
    const type = wordsAsWritten(attribs.itemtype)
    const id = attribs.itemid
    const properties: MicrodataItem['properties'] = emptyRecord()
    const within = [...around, position]
    for (const property of this.#propertiesOf(position)) this.#add(properties, property, within)
    return {
      ...(type.length > 0 && { type: type.flatMap(name => this.#limits.text(name) ?? []) }),
      ...(id !== undefined && { id: this.#limits.text(this.#outline.resolve(id.trim())) ?? '' }),
      properties,
    }
  }

  #add(properties: MicrodataItem['properties'], position: number, within: readonly number[]): void {
    for (const name of new Set(wordsAsWritten(this.#outline.element(position).attribs.itemprop))) {
      const kept = this.#limits.text(name)
      // Each name has its own value, so that all stored values are counted.
      const value = kept === null ? null : this.#value(position, within)
      if (kept !== null && value !== null) addValue(properties, kept, value)
    }
  }

  #value(position: number, within: readonly number[]): string | MicrodataItem | null {
    const element = this.#outline.element(position)
    if (element.attribs.itemscope === undefined) return this.#limits.text(this.#plain(position, element))
    const fault = within.includes(position) ? 'cycle' : within.length >= maxDepth ? 'too-deep' : null
    if (fault !== null) this.#report(fault)
    return fault === null && this.#limits.take() ? this.#item(position, within) : null
  }

  /** Returns the value by the kind of the element (WHATWG HTML, 5.2.4). */
  #plain(position: number, { name, attribs }: Element): string {
    if (name === 'meta') return attribs.content ?? ''
    const address = addresses.get(name)
    if (address !== undefined) {
      const stated = attribs[address]
      return stated === undefined ? '' : this.#outline.resolve(stated)
    }
    if (name === 'data' || name === 'meter') return attribs.value ?? ''
    const datetime = name === 'time' ? attribs.datetime : undefined
    return datetime ?? this.#text().of(position).trim()
  }

  /**
   * Returns the positions of the elements that add properties to an item, in the order of the page (WHATWG HTML,
   * 5.2.5).
   */
  #propertiesOf(item: number): readonly number[] {
    const known = this.#properties.get(item)
    if (known !== undefined) return known
    const properties = this.#collected(item)
    this.#properties.set(item, properties)
    return properties
  }

  #collected(item: number): number[] {
    const outline = this.#outline
    const found = new Set<number>()
    const seen = new Set([item])
    this.#collect(item + 1, outline.end(item), found)
    for (const id of wordsAsWritten(outline.element(item).attribs.itemref)) {
      const start = outline.byId(id)
      if (start !== -1 && !seen.has(start) && this.#refers()) {
        seen.add(start)
        this.#collect(start, outline.end(start), found, () => this.#refers())
      }
    }
    return seen.size === 1 ? [...found] : [...found].sort((a, b) => a - b)
  }

  #refers(): boolean {
    if (this.#referred > 0) this.#referred -= 1
    else this.#limits.exceeded = true
    return this.#referred > 0
  }

  /** Adds the properties in a range, without those of nested items. */
  #collect(start: number, end: number, found: Set<number>, may = (): boolean => true): void {
    const marked = this.#marked
    for (let next = firstFrom(marked, start); next < marked.length; ) {
      const position = marked[next] as number
      if (position >= end || !may()) return
      const { attribs } = this.#outline.element(position)
      if (attribs.itemprop !== undefined) found.add(position)
      const isItem = attribs.itemscope !== undefined
      next = isItem ? firstFrom(marked, this.#outline.end(position)) : next + 1
    }
  }
}

/** Elements whose value is an address, with its attribute. */
const addresses: ReadonlyMap<string, string> = new Map([
  ...['audio', 'embed', 'iframe', 'img', 'source', 'track', 'video'].map(name => [name, 'src'] as const),
  ...['a', 'area', 'link'].map(name => [name, 'href'] as const),
  ['object', 'data'],
])
