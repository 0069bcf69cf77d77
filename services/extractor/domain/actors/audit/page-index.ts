/**
 * An index of a page, built in one pass: elements by name, ids, the position of each element's text, and its ancestors.
 * Building takes linear time, however deep the page nests.
 */

import { attribute } from '@tidemark/html/tree/attribute'
import { isHidden } from '@tidemark/html/tree/hidden'
import { isInline } from '@tidemark/html/tree/inline'
import { collapse } from '@tidemark/html/tree/raw-text'
import { walk } from '@tidemark/html/tree/walk'
import type { Document, Element, ParentNode, Text } from 'domhandler'

export type Entry = {
  element: Element
  name: string
  /** Start and end of its text in the page's text. */
  start: number
  end: number
  /** Whether it contains text, alternative text or a label, or has a label itself. */
  isNamed: boolean
  /** Whether it is hidden from everyone, or from assistive technology. */
  isHidden: boolean
  /** Whether it precedes all content, where metadata belong. */
  isInHead: boolean
  isInLabel: boolean
  /** The enclosing link or button. */
  control: Element | null
  /** The innermost enclosing table. */
  table: Element | null
}

/** Returns the start tag with the attributes that identify the element. */
export function tagOf({ element: { name, attribs } }: Pick<Entry, 'element'>): string {
  const pairs = ['id', 'class', 'name', 'type', 'href', 'src']
    .flatMap(attribute => {
      const value = attribs[attribute]
      return value ? [`${attribute}="${value.slice(0, 60)}"`] : []
    })
    .slice(0, 2)
  return `<${[name, ...pairs].join(' ')}>`
}

/** Returns the content of a `meta` element; empty: it has none. */
export const contentOf = ({ element }: Entry): string => attribute(element, 'content')?.trim() ?? ''

export type Heading = { level: number; text: string; entry: Entry }

export class PageIndex {
  readonly all: Entry[] = []
  /** Number of elements for each id. */
  readonly ids = new Map<string, number>()
  /** Targets of links and labels: all ids, including those in SVG and MathML, and names of anchors. */
  readonly anchors = new Set<string>()
  /** Positions in the text of content other than text, and of initially hidden text, in ascending order. */
  readonly otherContent: number[] = []
  /** The visible text of the page. Line feeds separate blocks. */
  readonly visibleText: string
  readonly headings: Heading[]
  readonly #named = new Map<string, Entry[]>()

  constructor(document: Document) {
    const reader = new Reader(this)
    walk(document, reader)
    this.visibleText = reader.chunks.join('')
    this.headings = this.all.flatMap(entry => {
      const level = headingLevelOf(entry)
      return level === null ? [] : [{ level, text: this.text(entry), entry }]
    })
  }

  /** Returns the elements with these names, each name's in page order. */
  of(...names: string[]): Entry[] {
    return names.flatMap(name => this.#named.get(name) ?? [])
  }

  /** Returns the readable text of an element on one line. */
  text({ start, end }: Pick<Entry, 'start' | 'end'>, maxLength = 500): string {
    return collapse(this.visibleText.slice(start, Math.min(end, start + maxLength * 2))).slice(0, maxLength)
  }

  add(entry: Entry): void {
    const { element, name } = entry
    this.all.push(entry)
    const known = this.#named.get(name)
    if (known === undefined) this.#named.set(name, [entry])
    else known.push(entry)
    const id = attribute(element, 'id')
    if (id !== null && id !== '') this.ids.set(id, (this.ids.get(id) ?? 0) + 1)
    this.#addAnchor(element)
    if (element.namespace === undefined) return
    walk(element, {
      enter: inner => {
        this.#addAnchor(inner)
        return true
      },
    })
  }

  /** Whether the range contains content other than text, or initially hidden text. */
  holdsOtherContent(start: number, end: number): boolean {
    const { otherContent } = this
    let [low, high] = [0, otherContent.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((otherContent[middle] ?? 0) < start) low = middle + 1
      else high = middle
    }
    return (otherContent[low] ?? end) < end
  }

  #addAnchor(element: Element): void {
    const { id, name } = element.attribs
    if (id !== undefined) this.anchors.add(id)
    if (element.name === 'a' && name !== undefined) this.anchors.add(name)
  }
}

/** Elements that may precede all content. */
const metadata = new Set('html head title meta link base script style noscript template'.split(' '))
/** Returns whether text in the node is metadata. Other text ends the head: WHATWG HTML, 13.2.6.4.4. */
const isMetadata = (node: ParentNode | null): boolean =>
  node !== null && 'name' in node && /^(?:title|style|script)$/.test(node.name)
/** Elements whose content browsers with scripts do not show. */
const closed = new Set(['template', 'noscript'])
const controls = new Set(['a', 'button'])
/** Elements that show something other than text. */
const pictured = new Set(
  'img svg math picture video audio iframe object embed canvas form input table'.split(' '),
)

class Reader {
  readonly chunks: string[] = []
  readonly #index: PageIndex
  readonly #open: { entry: Entry; names: number }[] = []
  #length = 0
  #names = 0
  #hidden = 0
  #muted = 0
  #labels = 0
  readonly #controls: Element[] = []
  readonly #tables: Element[] = []
  #isInHead = true

  constructor(index: PageIndex) {
    this.#index = index
  }

  readonly enter = (element: Element): boolean => {
    const { name } = element
    if (!metadata.has(name)) this.#isInHead = false
    if (!isInline(name)) this.#write('\n')
    const entry = this.#entryOf(element)
    this.#index.add(entry)
    if (pictured.has(name)) this.#index.otherContent.push(this.#length)
    if (ownName(element)) this.#names += this.#hidden > 0 || isHiddenFromAssistiveTech(element) ? 0 : 1
    const isOpen = !closed.has(name) && element.namespace === undefined
    if (isOpen) this.#begin(entry)
    return isOpen
  }

  readonly leave = (element: Element): void => {
    const open = this.#open.pop()
    if (open === undefined) return
    const { entry, names } = open
    if (isHiddenFromAssistiveTech(element)) this.#hidden -= 1
    if (hidesText(element)) this.#muted -= 1
    if (entry.name === 'label') this.#labels -= 1
    if (controls.has(entry.name)) this.#controls.pop()
    if (entry.name === 'table') this.#tables.pop()
    if (!isInline(entry.name)) this.#write('\n')
    entry.end = this.#length
    entry.isNamed ||= this.#names > names
  }

  readonly text = ({ data, parent }: Text): void => {
    this.#isInHead &&= isMetadata(parent) || !/[^\t\n\f\r ]/.test(data)
    const isBlank = !/[^\s\u00a0\u200b]/.test(data)
    if (this.#muted > 0) {
      if (!isBlank) this.#index.otherContent.push(this.#length)
      return
    }
    this.#write(data)
    if (this.#hidden === 0 && !isBlank) this.#names += 1
  }

  #begin(entry: Entry): void {
    this.#open.push({ entry, names: this.#names })
    if (isHiddenFromAssistiveTech(entry.element)) this.#hidden += 1
    if (hidesText(entry.element)) this.#muted += 1
    if (entry.name === 'label') this.#labels += 1
    if (controls.has(entry.name)) this.#controls.push(entry.element)
    if (entry.name === 'table') this.#tables.push(entry.element)
  }

  #entryOf(element: Element): Entry {
    return {
      element,
      name: element.name,
      start: this.#length,
      end: this.#length,
      isNamed: ownName(element),
      isHidden: this.#hidden > 0 || isHiddenFromAssistiveTech(element),
      isInHead: this.#isInHead,
      isInLabel: this.#labels > 0,
      control: this.#controls.at(-1) ?? null,
      table: this.#tables.at(-1) ?? null,
    }
  }

  #write(text: string): void {
    if (text === '') return
    this.chunks.push(text)
    this.#length += text.length
  }
}

const hiddenStyle = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

/** Returns whether an element is hidden from everyone, as far as its own attributes decide. */
const isNotRendered = ({ attribs }: Element): boolean =>
  attribs.hidden !== undefined || (attribs.style !== undefined && hiddenStyle.test(attribs.style))

const hidesText = (element: Element): boolean => isHidden(element) || isNotRendered(element)

/** Returns whether the content of an element is hidden from assistive technology. */
const isHiddenFromAssistiveTech = (element: Element): boolean =>
  element.attribs['aria-hidden'] === 'true' || isNotRendered(element)

/** Returns whether the element itself has a name: a label, a title or alternative text. */
function ownName(element: Element): boolean {
  const { name } = element
  if (hasAnyAttribute(element, 'aria-label', 'aria-labelledby', 'title')) return true
  if (name === 'img' || name === 'area') return hasAnyAttribute(element, 'alt')
  if (name === 'input') return hasAnyAttribute(element, 'alt', 'value')
  return name === 'svg' && element.children.some(child => 'attribs' in child && child.name === 'title')
}

/** Returns whether any of the attributes is present and not blank. */
export const hasAnyAttribute = (element: Element, ...names: string[]): boolean =>
  names.some(name => (attribute(element, name) ?? '').trim() !== '')

/** Returns null for an element that is not a visible heading. */
function headingLevelOf({ element, name, isHidden }: Entry): number | null {
  if (isHidden) return null
  if (/^h[1-6]$/.test(name)) return Number(name.charAt(1))
  if (attribute(element, 'role') !== 'heading') return null
  const level = Number(attribute(element, 'aria-level') ?? 2)
  return level >= 1 ? level : null
}
