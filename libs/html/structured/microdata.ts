/**
 * Microdata (WHATWG HTML, 5): the items that are not properties of others, each with its properties and with
 * those its `itemref` names. Items within themselves, and any more than we keep, are left out.
 */
import type { Element } from 'domhandler'
import { wordsAsWritten } from './attributes.ts'
import { deepest } from './json-values.ts'
import { addValue, emptyRecord, type Limits } from './limits.ts'
import { firstFrom, type Outline } from './outline.ts'
import type { MicrodataItem } from './structured.ts'
import type { TextLine } from './text-line.ts'

/** Elements looked at because an `itemref` names what holds them, for the whole page. */
const maxReferred = 200_000

export type MicrodataFault = 'cycle' | 'too-deep'

/** In the order of the page. Each fault is reported where it is met. */
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

  /** @param around The items this one stands in, the innermost last. */
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
      // Each name has a value of its own, so that what is kept is what is counted.
      const value = kept === null ? null : this.#value(position, within)
      if (kept !== null && value !== null) addValue(properties, kept, value)
    }
  }

  #value(position: number, within: readonly number[]): string | MicrodataItem | null {
    const element = this.#outline.element(position)
    if (element.attribs.itemscope === undefined) return this.#limits.text(this.#plain(position, element))
    const fault = within.includes(position) ? 'cycle' : within.length >= deepest ? 'too-deep' : null
    if (fault !== null) this.#report(fault)
    return fault === null && this.#limits.take() ? this.#item(position, within) : null
  }

  /** WHATWG HTML, 5.2.4: the value by element. */
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

  /** WHATWG HTML, 5.2.5: positions of the elements that add properties to an item, in the order of the page. */
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

  /** Adds the properties in a range; what is in a nested item is its own. */
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

/** Elements whose value is an address, and the attribute that holds it. */
const addresses: ReadonlyMap<string, string> = new Map([
  ...['audio', 'embed', 'iframe', 'img', 'source', 'track', 'video'].map(name => [name, 'src'] as const),
  ...['a', 'area', 'link'].map(name => [name, 'href'] as const),
  ['object', 'data'],
])
