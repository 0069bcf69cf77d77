/** Images: their visible address, also with lazy loading. */
import { Element } from 'domhandler'
import { attribute } from '../tree/attribute.ts'
import { collapse } from '../tree/raw-text.ts'
import { isShown, targetOf } from './destination.ts'
import { escapeText } from './escape.ts'
import type { Writer } from './writer.ts'

const lazy = ['data-src', 'data-lazy-src', 'data-original', 'data-lazy', 'data-hi-res-src']
const lazySets = ['data-srcset', 'data-lazy-srcset', 'srcset']
/** Values that only switch lazy loading on or off. */
const flag = /^(?:true|false|yes|no|on|off|\d+)$/i
const address = /^(?!data:|blob:|javascript:|about:)[^\s{}[\]"']+$/i

export function image(writer: Writer, element: Element): boolean {
  const source = sourceOf(element)
  const resolved = source === null || isPixel(element) ? null : writer.resolve(source)
  if (resolved === null || !isShown(resolved)) return false
  const alt = collapse(attribute(element, 'alt') ?? '')
  const text = escapeText(alt, { before: ' ', after: ' ', inLink: true })
  writer.inline.atom(`![${text}]${targetOf(resolved, attribute(element, 'title'))}`)
  return false
}

function sourceOf(element: Element): string | null {
  const stated = attribute(element, 'src')?.trim() ?? ''
  const own = stated === '' || /^(?:data|blob|javascript|about):/i.test(stated) ? null : stated
  const isLate = own === null || /\b(?:blank|placeholder|spacer|lazy)\b/i.test(own)
  for (const name of lazy) {
    const value = attribute(element, name)?.trim() ?? ''
    if (address.test(value) && !flag.test(value) && (isLate || /[/.]/.test(value))) return value
  }
  return own ?? setOf(element) ?? setAround(element)
}

/** Returns the largest image of a set. */
function setOf(element: Element): string | null {
  for (const name of lazySets) {
    const value = attribute(element, name)
    const found = value === null ? null : largest(value)
    if (found !== null) return found
  }
  return null
}

function setAround({ parent }: Element): string | null {
  if (!(parent instanceof Element) || parent.name !== 'picture') return null
  for (const child of parent.children.slice(0, 16)) {
    const found = child instanceof Element && child.name === 'source' ? setOf(child) : null
    if (found !== null) return found
  }
  return null
}

/**
 * Returns the largest address of a `srcset`, which has addresses with a width or a density each (WHATWG HTML,
 * 4.8.4.3.8, simplified).
 */
function largest(set: string): string | null {
  let [best, most] = [null as string | null, -1]
  let source: string | null = null
  for (const word of set.replace(/(\s[\d.]+[wx]),(?=\S)/g, '$1 ').split(/[\t\n\f\r ]/)) {
    const size = /^(\d+(?:\.\d+)?)[wx],?$/.exec(word)?.[1]
    const isSize = size !== undefined && source !== null
    const width = isSize ? Number(size) : 1
    if (!isSize && word !== '') source = word.replace(/,$/, '')
    if (source !== null && word !== '' && address.test(source) && (width > most || best === null))
      [best, most] = [source, isSize ? width : 0]
  }
  return best
}

/** Returns whether an image has one pixel. Such images count visitors. */
const isPixel = (element: Element): boolean =>
  /^[01](?:px)?$/.test(attribute(element, 'width') ?? '') &&
  /^[01](?:px)?$/.test(attribute(element, 'height') ?? '')
