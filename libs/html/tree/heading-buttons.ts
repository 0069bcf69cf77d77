/** Buttons in headings: the text of a heading that expands the content below, or controls beside it. */
import type { Element } from 'domhandler'
import { isHidden } from './hidden.ts'
import { isHidingClass } from './layout.ts'
import { walk } from './walk.ts'

/** Results by heading, so that each heading is walked once. */
const known = new WeakMap<Element, boolean>()

/** Returns whether a heading or a term has no words but those of its buttons, so that they are its text. */
export function hasOnlyButtons(heading: Element): boolean {
  const result = known.get(heading) ?? !hasOtherWords(heading)
  known.set(heading, result)
  return result
}

function hasOtherWords(heading: Element): boolean {
  let found = false
  walk(heading, {
    enter: element =>
      !found && !notRead.has(element.name) && !isHidden(element) && !isForScreenReaders(element),
    text: ({ data }) => {
      found ||= /\p{L}/u.test(data)
    },
  })
  return found
}

const notRead = new Set(['button', 'svg'])
const isForScreenReaders = ({ attribs }: Element): boolean =>
  attribs.class !== undefined && isHidingClass(attribs.class)
