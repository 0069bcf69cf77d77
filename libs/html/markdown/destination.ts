/** Where links and pictures go, as Markdown: CommonMark 0.31, 6.3, "link destination" and "link title". */
import { collapse } from '../tree/text-of.ts'

/** What follows the text of a link. */
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
