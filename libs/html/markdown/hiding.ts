/** Whether the page itself hides an element from all readers. Style sheets and scripts are not known. */
import type { Element } from 'domhandler'
import { isHiddenFormula } from '../tree/drawn-formula.ts'
import { isHidingStyle } from '../tree/layout.ts'

/** Elements that scripts hide only until the page is ready. */
const roots = new Set(['html', 'body'])

/** Returns whether an element is hidden by its `hidden` attribute or its own style, or is a closed dialog. */
export function isConcealed(element: Element): boolean {
  const { hidden, style, open } = element.attribs
  if (element.name === 'dialog' && open === undefined) return true
  if (hidden === undefined && style === undefined) return false
  if (isRoot(element)) return false
  if (hidden !== undefined && hidden !== 'until-found') return true
  return style !== undefined && isHidingStyle(style) && !isHiddenFormula(element)
}

/** Returns whether an element contains the whole page. */
export const isRoot = ({ name }: Element): boolean => roots.has(name)
