/** Recognizes formulas that a page has twice: as a drawing, and as MathML for screen readers. Only the MathML is read. */
import { Element, Text } from 'domhandler'

/** Returns whether an element is the drawing of a formula, which MathML beside it repeats for screen readers. */
export const isDrawnFormula = (element: Element): boolean =>
  element.attribs['aria-hidden'] === 'true' &&
  drawings.has(element.name) &&
  (onlyHoldsMath(siblingOf(element, 'prev')) || onlyHoldsMath(siblingOf(element, 'next')))

/** Returns whether an element hides MathML beside its drawing, as Wikipedia does. */
export function isHiddenFormula(element: Element): boolean {
  if (element.name !== 'span' || !onlyHoldsMath(element)) return false
  const drawing = siblingOf(element, 'next') ?? siblingOf(element, 'prev')
  return drawing?.attribs['aria-hidden'] === 'true' && drawings.has(drawing.name)
}

/** Elements in which KaTeX, MathJax and MediaWiki draw. */
const drawings: ReadonlySet<string> = new Set(['span', 'nobr', 'img', 'mjx-math'])

/** Maximum elements between a formula and the element that holds nothing else. */
const maxDepth = 3

function onlyHoldsMath(element: Element | null): boolean {
  let inner = element
  for (let depth = 0; depth < maxDepth && inner !== null; depth++) {
    if (inner.name === 'math') return true
    const [child] = inner.children
    inner = inner.children.length === 1 && child instanceof Element ? child : null
  }
  return false
}

/** Returns the element directly before or after another, without text between them. */
function siblingOf(element: Element, side: 'prev' | 'next'): Element | null {
  let sibling = element[side]
  while (sibling instanceof Text && sibling.data.trim() === '') sibling = sibling[side]
  return sibling instanceof Element ? sibling : null
}
