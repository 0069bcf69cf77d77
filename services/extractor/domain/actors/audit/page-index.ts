/**
 * One look at all elements of a page, after which every rule only looks up: elements by name, ids, text by its place in
 * one line, and for each element what stands around it. Linear in the page, however deep it nests.
 */

import { attribute } from '@tidemark/html/tree/attribute'
import { isHidden } from '@tidemark/html/tree/hidden'
import { isInline } from '@tidemark/html/tree/inline'
import { collapse } from '@tidemark/html/tree/text-of'
import { walk } from '@tidemark/html/tree/walk'
import type { Document, Element } from 'domhandler'

export type Entry = {
  element: Element
  name: string
  /** Where its text begins and ends in the line of all text. */
  start: number
  end: number
  /** Whether a text, an alternative text or a label stands in it, or it has a label of its own. */
  isNamed: boolean
  /** Whether it is kept from everybody, or from assistive technology. */
  isHidden: boolean
  /** Whether it stands before all content, where metadata belong. */
  isInHead: boolean
  isInLabel: boolean
  /** The link or button around it. */
  control: Element | null
  /** The innermost table around it. */
  table: Element | null
}

export type Heading = { level: number; text: string; entry: Entry }

export class PageIndex {
  readonly all: Entry[] = []
  /** How often each id stands in the page. */
  readonly ids = new Map<string, number>()
  /** What a link or a label can lead to: all ids, those in drawings and formulas too, and names of anchors. */
  readonly places = new Set<string>()
  /** Where in the line something stands that is no text, or a text that is hidden for now; in order. */
  readonly unwritten: number[] = []
  /** What is shown to read, blocks parted by line feeds. */
  readonly line: string
  readonly headings: Heading[]
  readonly #named = new Map<string, Entry[]>()

  constructor(document: Document) {
    const reader = new Reader(this)
    walk(document, reader)
    this.line = reader.chunks.join('')
    this.headings = this.all.flatMap(entry => headingOf(entry, this.text(entry)))
  }

  /** Elements of these names, each name's in the order of the page. */
  of(...names: string[]): Entry[] {
    return names.flatMap(name => this.#named.get(name) ?? [])
  }

  /** What is to be read in an element, on one line. */
  text({ start, end }: Pick<Entry, 'start' | 'end'>, most = 500): string {
    return collapse(this.line.slice(start, Math.min(end, start + most * 2))).slice(0, most)
  }

  add(entry: Entry): void {
    const { element, name } = entry
    this.all.push(entry)
    const known = this.#named.get(name)
    if (known === undefined) this.#named.set(name, [entry])
    else known.push(entry)
    const id = attribute(element, 'id')
    if (id !== null && id !== '') this.ids.set(id, (this.ids.get(id) ?? 0) + 1)
    this.#addPlace(element)
    if (element.namespace === undefined) return
    walk(element, {
      enter: inner => {
        this.#addPlace(inner)
        return true
      },
    })
  }

  /** Whether something stands there that is no text, or a text that is hidden for now. */
  holdsUnwritten(start: number, end: number): boolean {
    const { unwritten } = this
    let [low, high] = [0, unwritten.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((unwritten[middle] ?? 0) < start) low = middle + 1
      else high = middle
    }
    return (unwritten[low] ?? end) < end
  }

  #addPlace(element: Element): void {
    const { id, name } = element.attribs
    if (id !== undefined) this.places.add(id)
    if (element.name === 'a' && name !== undefined) this.places.add(name)
  }
}

/** Those that may stand before all content. */
const metadata = new Set('html head title meta link base script style noscript template'.split(' '))
/** What stands in them is shown by no browser that runs scripts, or is drawn. */
const closed = new Set(['template', 'noscript'])
const controls = new Set(['a', 'button'])
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
    if (pictured.has(name)) this.#index.unwritten.push(this.#length)
    if (ownName(element)) this.#names += this.#hidden > 0 || conceals(element) ? 0 : 1
    const isOpen = !closed.has(name) && element.namespace === undefined
    if (isOpen) this.#begin(entry)
    return isOpen
  }

  readonly leave = (element: Element): void => {
    const open = this.#open.pop()
    if (open === undefined) return
    const { entry, names } = open
    if (conceals(element)) this.#hidden -= 1
    if (isMute(element)) this.#muted -= 1
    if (entry.name === 'label') this.#labels -= 1
    if (controls.has(entry.name)) this.#controls.pop()
    if (entry.name === 'table') this.#tables.pop()
    if (!isInline(entry.name)) this.#write('\n')
    entry.end = this.#length
    entry.isNamed ||= this.#names > names
  }

  readonly text = ({ data }: { data: string }): void => {
    const isBlank = !/[^\s\u00a0\u200b]/.test(data)
    if (this.#muted > 0) {
      if (!isBlank) this.#index.unwritten.push(this.#length)
      return
    }
    this.#write(data)
    if (this.#hidden === 0 && !isBlank) this.#names += 1
  }

  #begin(entry: Entry): void {
    this.#open.push({ entry, names: this.#names })
    if (conceals(entry.element)) this.#hidden += 1
    if (isMute(entry.element)) this.#muted += 1
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
      isHidden: this.#hidden > 0 || conceals(element),
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

const unseen = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

/** Whether nobody sees what stands in it. What style sheets and scripts do is not known. */
const isUnseen = ({ attribs }: Element): boolean =>
  attribs.hidden !== undefined || (attribs.style !== undefined && unseen.test(attribs.style))

const isMute = (element: Element): boolean => isHidden(element) || isUnseen(element)

/** Whether what stands in it is kept from assistive technology. */
const conceals = (element: Element): boolean => element.attribs['aria-hidden'] === 'true' || isUnseen(element)

/** Whether the element itself tells its name: by a label, a title, or instead of its picture. */
function ownName(element: Element): boolean {
  const { name } = element
  for (const label of ['aria-label', 'aria-labelledby', 'title']) if (isSaid(element, label)) return true
  if (name === 'img' || name === 'area') return isSaid(element, 'alt')
  if (name === 'input') return isSaid(element, 'alt') || isSaid(element, 'value')
  return name === 'svg' && element.children.some(child => 'attribs' in child && child.name === 'title')
}

/** Whether an attribute is there and not blank. */
export const isSaid = (element: Element, name: string): boolean =>
  (attribute(element, name) ?? '').trim() !== ''

function headingOf(entry: Entry, text: string): Heading[] {
  const { element, name, isHidden } = entry
  if (isHidden) return []
  if (/^h[1-6]$/.test(name)) return [{ level: Number(name.charAt(1)), text, entry }]
  const level = Number(attribute(element, 'aria-level') ?? 2)
  return attribute(element, 'role') === 'heading' && level >= 1 ? [{ level, text, entry }] : []
}
