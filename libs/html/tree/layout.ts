/** Whether browsers leave out an element when they lay out the page. Style sheets are known by usual class names. */
import type { Element } from 'domhandler'

/**
 * Returns whether an element has a layout. Invisible elements may have one: a row with `visibility: hidden` counts for
 * the cells that extend into it, but a row with `display: none` does not.
 */
export function hasLayout({ attribs: { hidden, style, class: names } }: Element): boolean {
  if (hidden !== undefined && hidden !== 'until-found') return false
  if (style !== undefined && noDisplay.test(style)) return false
  return names === undefined || !isHidingClass(names)
}

const noDisplay = /(?:^|[;\s])display\s*:\s*none/i
const invisible = /(?:^|[;\s])visibility\s*:\s*hidden/i

/** Returns whether the style of an element hides it. `backface-visibility` does not. */
export const isHidingStyle = (style: string): boolean => noDisplay.test(style) || invisible.test(style)

/** Returns whether the classes of an element hide it on all screens. */
export const isHidingClass = (names: string): boolean =>
  hidingClass.test(names) && !shownOnLargeScreens.test(names)

const hidingClass =
  /(?:^|\s)(?:hidden|sr-only|visually-?hidden|screen-reader-(?:text|only)|d-none|element-invisible|u-hidden|is-hidden|print-only)(?:\s|$)/i

/** Classes that hide only on small screens. */
const shownOnLargeScreens = /:(?:block|flex|inline|grid|table|not-sr-only)|\bd-\w+-(?:block|flex|inline|grid)/
