/** Where links and pictures go, as Markdown: CommonMark 0.31, 6.3, "link destination" and "link title". */
import { collapse } from '../tree/text-of.ts'

/** Addresses that a reader may be sent to; what a script, a file or data is called is text and no link. */
const followed = new Set(['http:', 'https:', 'mailto:', 'tel:'])
const shown = new Set(['http:', 'https:'])

/** Judged as a browser reads it: controls and white space around and in a scheme do not count (WHATWG URL, 4.4). */
export const isFollowed = (address: string): boolean => isOf(followed, address)

/** Whether a picture may be loaded from there. */
export const isShown = (address: string): boolean => isOf(shown, address)

/** Relative URLs are relative to a page of the web. */
const isOf = (schemes: ReadonlySet<string>, address: string): boolean =>
  /^https?:\/\/[^/]/.test(address) ||
  schemes.has(URL.parse(address, 'https://relative.invalid/')?.protocol ?? '')

/** The part of a link after its text. */
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
