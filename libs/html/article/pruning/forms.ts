/** Finds the forms that only send hidden values. They are only around a text, like those around each comment of Reddit. */
import type { Element } from 'domhandler'
import { rootOf, walk } from '../../tree/walk.ts'

const controls = new Set(['input', 'select', 'textarea', 'button'])

const isForm = ({ name }: Element): boolean => name === 'form'
const isHidden = ({ attribs }: Element): boolean => attribs.type?.toLowerCase() === 'hidden'

/**
 * Returns the forms whose controls are all hidden, of which each has at least one. The whole page is read once, because
 * controls are not in its outline.
 */
export function formsAroundText(elements: readonly Element[]): ReadonlySet<Element> {
  const [first] = elements
  if (first === undefined || !elements.some(isForm)) return new Set()
  const hidden = new Set<Element>()
  const shown = new Set<Element>()
  const open: Element[] = []
  walk(rootOf(first), {
    enter: element => {
      if (isForm(element)) open.push(element)
      if (controls.has(element.name)) addAll(open, isHidden(element) ? hidden : shown)
      return true
    },
    leave: element => {
      if (isForm(element)) open.pop()
    },
  })
  return hidden.difference(shown)
}

/** Adds the open forms. A form that has been added is within others that have been added too. */
function addAll(open: readonly Element[], found: Set<Element>): void {
  for (let at = open.length - 1; at >= 0; at--) {
    const form = open[at] as Element
    if (found.has(form)) return
    found.add(form)
  }
}
