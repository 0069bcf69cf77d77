/** Whether an element is visible, judged by its own attributes. */
import type { Element } from 'domhandler'
import { isPanel } from '../tree/disclosure.ts'
import { isDrawnFormula, isHiddenFormula } from '../tree/drawn-formula.ts'
import { isHidingClass, isHidingStyle } from '../tree/layout.ts'

/**
 * Returns whether an element is hidden by `hidden`, its style or its class. Style sheets are not known. The panels of
 * tabs and accordions all count, because readers open each of them. So do `html` and `body`, which scripts hide only
 * until the page is ready.
 */
export function isHidden(element: Element): boolean {
  if (element.name === 'html' || element.name === 'body') return false
  return seemsHidden(element) && !isPanel(element)
}

function seemsHidden(element: Element): boolean {
  const { hidden, id, style, class: names, 'aria-modal': modal } = element.attribs
  if (hidden !== undefined && hidden !== 'until-found') return !streamed.test(id ?? '')
  if (modal === 'true') return true
  if (style !== undefined && isHidingStyle(style)) return !isHiddenFormula(element)
  return isDrawnFormula(element) || (names !== undefined && isHidingClass(names))
}

/** React sends late parts of a page as hidden elements `S:1`, `S:2`, … that a script moves to their positions. */
const streamed = /^S:[\da-f]+$/i
