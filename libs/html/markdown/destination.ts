/** Writes destinations of links and images in Markdown: CommonMark 0.31, 6.3, "link destination" and "link title". */
import { collapse } from '../tree/raw-text.ts'

/** Schemes that a link may have. Links to scripts, files or data are written as text. */
export const linkSchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:'])
const imageSchemes = new Set(['http:', 'https:'])

/**
 * Returns whether a link may have this address. As in browsers, controls and white space around and in a scheme do
 * not count (WHATWG URL, 4.4).
 */
export const isLinkAddress = (address: string): boolean => isOf(linkSchemes, address)

/** Returns whether an image may be loaded from this address. */
export const isImageAddress = (address: string): boolean => isOf(imageSchemes, address)

/** Returns whether the address has one of the schemes. Relative addresses count, because their base is a web page. */
const isOf = (schemes: ReadonlySet<string>, address: string): boolean =>
  /^https?:\/\/[^/]/.test(address) ||
  schemes.has(URL.parse(address, 'https://relative.invalid/')?.protocol ?? '')

/** Returns the part after the text of a link. */
export function targetOf(address: string, title: string | null): string {
  const words = title === null ? '' : collapse(title)
  const quoted =
    words === '' ? '' : ` "${words.replace(/[\\"]/g, '\\$&').replace(/&(?=[a-z#\d]+;)/gi, '\\&')}"`
  return `(${destination(address)}${quoted})`
}

const plain = /^[^\\&()<>\s\p{Cc}]+$/u

function destination(address: string): string {
  if (plain.test(address)) return address
  const escaped = address.replace(/\\(?=[!-/:-@[-`{-~])/g, '\\\\').replace(/&(?=[a-z#\d]+;)/gi, '\\&')
  if (address === '' || /[\s<\p{Cc}]/u.test(address))
    return `<${escaped.replace(/[\n\r]/g, '').replace(/[<>]/g, '\\$&')}>`
  return hasBalancedParentheses(address) ? escaped : escaped.replace(/[()]/g, '\\$&')
}

function hasBalancedParentheses(address: string): boolean {
  let depth = 0
  for (const character of address) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth < 0 || depth > 31) return false
  }
  return depth === 0
}
