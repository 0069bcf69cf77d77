/**
 * All markup of a page as one string (WHATWG HTML, 13.3), in which the content of every element is a range. Reading
 * the markup of thousands of nested elements costs no more than writing the page once.
 */
import { type Element, isTag } from 'domhandler'
import { isVerbatim, ruleOf } from '../tree/element-rules.ts'
import { walk } from '../tree/walk.ts'
import { isOutside, type Outline } from './outline.ts'

type Resolve = (address: string) => string

/**
 * Maximum characters of resolved addresses. Later ones are unchanged, because a long base would be copied into each.
 */
const maxResolved = 8 * 1024 * 1024

const same: Resolve = address => address

export class MarkupLine {
  readonly #markup: string
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  /** @param resolve Makes addresses absolute. By default they are unchanged. */
  constructor(outline: Outline, resolve: Resolve = same) {
    let markup = ''
    const open: number[] = []
    walk(outline.document, {
      enter: element => {
        if (isOutside(element)) return false
        markup += `<${element.name}${attributesOf(element, markup.length < maxResolved ? resolve : same)}>`
        open.push(this.#starts.push(markup.length) - 1)
        return true
      },
      leave: ({ name }) => {
        this.#ends[open.pop() ?? 0] = markup.length
        if (!ruleOf(name).void) markup += `</${name}>`
      },
      text: ({ data, parent }) => {
        markup += parent !== null && isTag(parent) && isVerbatim(parent.name) ? data : inText(data)
      },
    })
    this.#markup = markup
  }

  /** Returns the content of the element at that position of the outline. */
  inside(position: number): string {
    return this.#markup.slice(this.#starts[position], this.#ends[position])
  }
}

const addresses = new Set(['href', 'src', 'poster', 'cite', 'data'])

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '\u00a0': '&nbsp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
const inText = (text: string): string => text.replace(/[&\u00a0<>]/g, found => references[found] ?? found)
const inAttribute = (text: string): string =>
  text.replace(/[&\u00a0<>"]/g, found => references[found] ?? found)

const attributesOf = ({ attribs }: Element, resolve: Resolve): string =>
  Object.entries(attribs)
    .map(([name, value]) => [name, addresses.has(name) ? resolve(value) : value] as const)
    .map(([name, value]) => ` ${name}="${inAttribute(value)}"`)
    .join('')
