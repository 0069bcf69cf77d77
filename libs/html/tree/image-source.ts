/** The address of an image, also with lazy loading: one meaning for Markdown and articles. */
import { Element } from 'domhandler'
import { attribute } from './attribute.ts'

/** Returns whether an element is an image, also one of AMP, whose content repeats it for readers without scripts. */
export const isImage = ({ name }: Element): boolean => name === 'img' || name === 'amp-img'

/** Returns the emoji that an image draws, as a character or by its name, or the empty string. */
export const emojiOf = ({ attribs }: Element): string =>
  /(?:^|\s)(?:emoji|wp-smiley)(?:\s|$)/.test(attribs.class ?? '')
    ? (attribs.alt ?? '').slice(0, maxEmoji)
    : ''

const maxEmoji = 64
const lazy = ['data-src', 'data-lazy-src', 'data-original', 'data-lazy', 'data-hi-res-src']
const lazySets = ['data-srcset', 'data-lazy-srcset', 'srcset']
/** Values that only switch lazy loading on or off. */
const flag = /^(?:true|false|yes|no|on|off|\d+)$/i
const address = /^(?!data:|blob:|javascript:|about:)[^\s{}[\]"']+$/i
const placeholder = /\b(?:blank|placeholder|spacer|lazy)\b/i

/** Returns the address of the image that readers see, as written in the page, or null if it has none. */
export function imageSource(element: Element): string | null {
  const stated = attribute(element, 'src')?.trim() ?? ''
  const own = stated === '' || /^(?:data|blob|javascript|about):/i.test(stated) ? null : stated
  const isLate = own === null || placeholder.test(own)
  for (const name of lazy) {
    const value = attribute(element, name)?.trim() ?? ''
    if (address.test(value) && !flag.test(value) && (isLate || /[/.]/.test(value))) return value
  }
  return isLate ? (setOf(element) ?? setBefore(element) ?? unscripted(element) ?? own) : own
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

/** Maximum siblings before the image of a picture. */
const maxSiblings = 32

/** Returns the image of the first source of a picture. Sources belong to the next image only, so each is read once. */
function setBefore({ parent, prev }: Element): string | null {
  if (!(parent instanceof Element) || parent.name !== 'picture') return null
  let found: string | null = null
  let sibling = prev
  for (let n = 0; n < maxSiblings && sibling !== null; n++) {
    if (sibling instanceof Element && isImage(sibling)) break
    if (sibling instanceof Element && sibling.name === 'source') found = setOf(sibling) ?? found
    sibling = sibling.prev
  }
  return found
}

/** Returns the image of the `noscript` after an image without an address, as Next.js and Gatsby write it. */
function unscripted({ next }: Element): string | null {
  const after = next?.type === 'text' && !/\S/.test(next.data) ? next.next : next
  if (!(after instanceof Element) || after.name !== 'noscript') return null
  let image: Element | undefined = after
  for (let depth = 0; depth < maxDepth && image !== undefined && !isImage(image); depth++)
    image = image.children.findLast((child): child is Element => child instanceof Element)
  return image !== undefined && isImage(image) ? imageSource(image) : null
}

/** Maximum depth of an image in a `noscript`, where it may be the last part of a `picture`. */
const maxDepth = 2

/**
 * Returns the largest address of a `srcset`, which has addresses with a width or a density each (WHATWG HTML,
 * 4.8.4.3.8, simplified).
 */
function largest(set: string): string | null {
  let [best, maxWidth] = [null as string | null, -1]
  let source: string | null = null
  let isAddress = false // of the source, which is long in hostile pages
  for (const word of set.replace(/(\s[\d.]+[wx]),(?=\S)/g, '$1 ').split(/[\t\n\f\r ]/)) {
    if (word === '') continue
    const size = /^(\d+(?:\.\d+)?)[wx],?$/.exec(word)?.[1]
    const isSize = size !== undefined && source !== null
    const width = isSize ? Number(size) : 1
    if (!isSize) {
      source = word.replace(/,$/, '')
      isAddress = address.test(source)
    }
    if (isAddress && (width > maxWidth || best === null)) [best, maxWidth] = [source, isSize ? width : 0]
  }
  return best
}
