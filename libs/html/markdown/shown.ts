/** The elements that Markdown leaves out: invisible ones, and the controls of forms. */
import { type Element, Text } from 'domhandler'
import { isPanel } from '../tree/disclosure.ts'
import { isDrawnFormula } from '../tree/drawn-formula.ts'
import { isHidden } from '../tree/hidden.ts'
import { isConcealed, isRoot } from './hiding.ts'
import { holdsContent } from './holds-content.ts'

/**
 * Returns whether an element is shown. Effects of scripts and style sheets are not known.
 * @param withPanels whether all panels of tabs and accordions are shown, because readers open each of them
 */
export function isShown(element: Element, withPanels = false): boolean {
  if (isHidden(element)) return false
  if (isRoot(element)) return true
  const isOpen = !isConcealed(element) && !isUnspoken(element)
  return isOpen || (withPanels && isPanel(element))
}

/** Returns whether an element is hidden from screen readers, and repeats a formula or is not content. */
const isUnspoken = (element: Element): boolean =>
  element.attribs['aria-hidden'] === 'true' && (isDrawnFormula(element) || !isDrawn(element))

/** Returns whether an element is visible although it is hidden from screen readers. */
const isDrawn = (element: Element): boolean => isNumber(element) || holdsContent(element)

/** Returns whether an element is the number of a chapter, which is hidden from screen readers but visible. */
function isNumber({ children }: Element): boolean {
  const [child] = children
  return (
    children.length === 1 && child instanceof Text && /^\s*\d{1,3}(?:\.\d{1,3}){0,5}\.?\s*$/.test(child.data)
  )
}
