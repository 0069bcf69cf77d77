/**
 * Validates selectors that Playwright and Chromium evaluate. Chromium has pseudo-classes that css-select lacks, such as
 * `:placeholder-shown`, and neither those of jQuery nor the attributes without quotes that css-select accepts.
 */
import { isTraversal, type PseudoSelector, type Selector } from 'css-what'
import { maxSelector, parseSelector, selectorsIn } from './select.ts'

/** Returns the fault of a selector that is not CSS of browsers, too long or deeply nested, or null if it is valid. */
export function browserSelectorFault(selector: string): string | null {
  const unknown = selector.length > maxSelector ? null : unknownPart(selector)
  if (unknown !== null) return unknown
  try {
    const alternatives = parseSelector(selector)
    return alternatives.length === 0 ? 'it is empty' : faultOf(alternatives)
  } catch (error) {
    return (error as Error).message.replace(/\.$/, '')
  }
}

/** Maximum characters of a part in an error. */
const maxEcho = 40

/**
 * An escape takes as many hex digits as possible. If the next part of the name could also match some of them, a hostile
 * selector would take exponential time.
 */
const escaped = String.raw`\\(?:[\da-f]{6}\s?|[\da-f]{1,5}(?:\s|(?![\da-f]))|[^\n\r\f\da-f])`
const name = String.raw`(?:--|-?(?:[a-z_\u0080-\uffff]|${escaped}))(?:[\w\u0080-\uffff-]|${escaped})*`
const text = String.raw`"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'`
const position = String.raw`\(\s*(?:even|odd|[+-]?\d*n(?:\s*[+-]\s*\d+)?|[+-]?\d+)`

/** A part of a selector of CSS. Comments are left out, because Playwright reads `>>` in them. */
const part = new RegExp(
  [
    String.raw`[\s>+~,*)]`,
    String.raw`\[\s*(?:\*?\|)?${name}\s*(?:[~|^$*]?=\s*(?:${name}|${text})\s*(?:i\s*)?)?\]`,
    String.raw`:nth-(?:last-)?child${position}(?=\s*\)|\s+of\s)`,
    String.raw`:nth-(?:last-)?of-type${position}(?=\s*\))`,
    String.raw`:(?:dir|lang|state)\(\s*${name}\s*\)`,
    String.raw`:(?!nth-|(?:dir|lang|state)\()${name}\(?`,
    `[.#]?${name}`,
  ].join('|'),
  'iy',
)

/** Returns the fault of the first part that is not CSS, or null. css-what accepts any character at the start of a name. */
function unknownPart(selector: string): string | null {
  let [at, begin] = [0, 0]
  while (at < selector.length) {
    part.lastIndex = at
    if (!part.test(selector)) break
    const { lastIndex: end } = part
    // A part in parentheses is named with its pseudo-class.
    begin = selector[end - 1] === '(' ? at : end
    at = end
  }
  if (at === selector.length) return null
  const rest = selector.slice(begin, begin + maxEcho).toWellFormed()
  const hint = /^\[[^\]"']*=[^\]"']/.test(rest) ? '. Write its value in quotes' : ''
  return `"${rest}" is not part of CSS${hint}`
}

function faultOf(alternatives: readonly (readonly Selector[])[]): string | null {
  for (const parts of alternatives)
    for (const [at, one] of parts.entries()) {
      const before = parts[at - 1]
      const isFirst = before === undefined || isTraversal(before)
      if (isTraversal(one) && at === parts.length - 1) return 'it ends without an element'
      if (one.type === 'tag' && one.name.startsWith(')')) return 'its parentheses are not balanced'
      if ((one.type === 'tag' || one.type === 'universal') && !isFirst)
        return `"${one.type === 'tag' ? one.name : '*'}" must stand before the other conditions of its element`
      if (one.type === 'pseudo-element') return `:${one.name} is not an element`
      const fault = one.type === 'pseudo' ? faultOfPseudo(one) : null
      if (fault !== null) return fault
    }
  return null
}

function faultOfPseudo(pseudo: PseudoSelector): string | null {
  const { name, data } = pseudo
  if (!(data === null ? states : functions).has(name))
    return `browsers have no pseudo-class :${name}${data === null ? '' : '()'}`
  const inside = selectorsIn(pseudo)
  return inside === null ? null : faultOf(inside)
}

/** Pseudo-classes of Chromium. */
const states: ReadonlySet<string> = new Set(
  (
    'active active-view-transition any-link autofill checked current default defined disabled empty enabled first-child ' +
    'first-of-type focus focus-visible focus-within fullscreen future host hover in-range indeterminate invalid ' +
    'last-child last-of-type link modal only-child only-of-type open optional out-of-range past picture-in-picture ' +
    'placeholder-shown popover-open read-only read-write required root scope target target-after target-before ' +
    'target-current user-invalid user-valid valid visited -webkit-any-link -webkit-autofill -webkit-full-screen'
  ).split(' '),
)
const functions: ReadonlySet<string> = new Set(
  (
    'dir has host host-context is lang not nth-child nth-last-child nth-last-of-type nth-of-type state ' +
    'where'
  ).split(' '),
)
