/** Whether an element is visible, judged by its own attributes. */
import { Element, type ParentNode } from 'domhandler'
import { isPanel } from '../tree/disclosure.ts'
import { isDrawnFormula, isHiddenFormula } from '../tree/drawn-formula.ts'
import { isHidingClass, isHidingStyle } from '../tree/layout.ts'

/**
 * Returns whether an element is hidden by `hidden`, its style or its class, or is a closed dialog. Style sheets are not
 * known. The panels of tabs and accordions all count, because readers open each of them. So do `html` and `body`, which
 * scripts hide only until the page is ready.
 */
export function isHidden(element: Element): boolean {
  if (element.name === 'html' || element.name === 'body') return false
  return seemsHidden(element) && !isPanel(element)
}

function seemsHidden(element: Element): boolean {
  if (element.name === 'dialog' && element.attribs.open === undefined) return true
  const { hidden, id, style, class: names, 'aria-modal': modal } = element.attribs
  if (hidden !== undefined && hidden !== 'until-found') return !streamed.test(id ?? '')
  if (modal === 'true') return true
  if (style !== undefined && isHidingStyle(style)) return !isHiddenFormula(element)
  return isDrawnFormula(element) || (names !== undefined && isHidingClass(names))
}

/** React sends late parts of a page as hidden elements `S:1`, `S:2`, … that a script moves to their positions. */
const streamed = /^S:[\da-f]+$/i

/**
 * Returns whether an element is only for screen readers and replaces the next element, which is hidden from them. For
 * example, a recipe has the unit "minutes" for them and "mins" for all others.
 */
export function isSpokenInstead(element: Element): boolean {
  if (!isHidingClass(element.attribs.class ?? '')) return false
  const next = nextElement(element) ?? (isLast(element) ? nextElement(element.parent) : null)
  return next?.attribs['aria-hidden'] === 'true' && next.children.every(({ type }) => type === 'text')
}

/** Returns the next element if only white space is before it. */
function nextElement(node: ParentNode | null): Element | null {
  if (!(node instanceof Element)) return null
  const { next } = node
  const after = next?.type === 'text' && !/\S/.test(next.data) ? next.next : next
  return after instanceof Element ? after : null
}

const isLast = ({ next }: Element): boolean => next === null
