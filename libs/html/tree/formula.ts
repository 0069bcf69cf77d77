/** The text of formulas: the TeX that many pages include in MathML, else MathML on one line. */
import { type ChildNode, Element, Text } from 'domhandler'
import { attribute } from './attribute.ts'
import { collapse, rawTextOf } from './raw-text.ts'
import { walk } from './walk.ts'

/** Returns the TeX of a `math` element on one line, without the style in which it is drawn; empty if it has none. */
export function texOf(math: Element): string {
  const tex = collapse(annotationOf(math) ?? attribute(math, 'alttext') ?? '')
  return isWrapped(tex) ? tex.slice(displayStyle.length, -1).trim() : tex
}

/** Returns a `math` element as text on one line: its TeX in dollar signs, else `(a+b)/2` for a fraction. */
export function formulaText(math: Element): string {
  const tex = texOf(math)
  return tex === '' ? linear(math) : `$${tex}$`
}

/** Returns the children of an element. Those of a formula are its text. */
export const readableChildren = (element: Element): ChildNode[] =>
  element.name === 'math' ? [new Text(formulaText(element))] : element.children

const displayStyle = '{\\displaystyle '

/** Whether `{\displaystyle …}` encloses all of the formula. */
function isWrapped(tex: string): boolean {
  if (!tex.startsWith(displayStyle)) return false
  let depth = 0
  for (let at = 0; at < tex.length - 1; at++) {
    if (tex[at] === '\\') at += 1
    else if (tex[at] === '{') depth += 1
    else if (tex[at] === '}') depth -= 1
    if (depth === 0) return false
  }
  return tex.endsWith('}')
}

function annotationOf(math: Element): string | null {
  let found: string | null = null
  walk(math, {
    enter: element => {
      if (element.name === 'annotation' && /tex/i.test(attribute(element, 'encoding') ?? ''))
        found ??= rawTextOf(element)
      return found === null
    },
  })
  return found
}

/** Signs between the parts of an element of MathML. */
const signs = new Map<string, readonly string[]>([
  ['mfrac', ['/']],
  ['msup', ['^']],
  ['mover', ['^']],
  ['msub', ['_']],
  ['munder', ['_']],
  ['msubsup', ['_', '^']],
  ['munderover', ['_', '^']],
])
/** Maximum parts before a sign: no element of MathML has more than three parts that signs separate. */
const maxBefore = 3
const notDrawn: ReadonlySet<string> = new Set(['annotation', 'annotation-xml'])

/** Writes MathML on one line. Parts with more than one element are in parentheses. */
function linear(math: Element): string {
  let text = ''
  const isGroup = (element: Element) =>
    hasParts(element) &&
    (element.name === 'msqrt' || (element.parent instanceof Element && signs.has(element.parent.name)))
  walk(math, {
    enter: element => {
      if (notDrawn.has(element.name)) return false
      text += signBefore(element)
      if (element.name === 'msqrt') text += '√'
      if (isGroup(element)) text += '('
      return true
    },
    leave: element => {
      if (isGroup(element)) text += ')'
    },
    text: ({ data }) => {
      text += data
    },
  })
  return collapse(text)
}

function signBefore({ parent, prev }: Element): string {
  const between = parent instanceof Element ? signs.get(parent.name) : undefined
  if (between === undefined) return ''
  let before = 0
  for (let node = prev; node !== null && before < maxBefore; node = node.prev)
    if (node instanceof Element) before += 1
  return between[before - 1] ?? ''
}

const hasParts = ({ children }: Element): boolean =>
  children.filter(child => child instanceof Element).length > 1
