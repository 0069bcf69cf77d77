/** Finds the forms with visible controls. Others are only around a text, like those around each comment of Reddit. */
import type { Element } from 'domhandler'
import { rootOf, walk } from '../../tree/walk.ts'

const controls = new Set(['input', 'select', 'textarea', 'button'])

const isControl = ({ name, attribs }: Element): boolean =>
  controls.has(name) && attribs.type?.toLowerCase() !== 'hidden'

/** Returns the forms that contain a control. The whole page is read once, because controls are not in its outline. */
export function formsWithControls(elements: readonly Element[]): ReadonlySet<Element> {
  const found = new Set<Element>()
  const [first] = elements
  if (first === undefined || !elements.some(isForm)) return found
  const open: Element[] = []
  walk(rootOf(first), {
    enter: element => {
      if (isForm(element)) open.push(element)
      for (let at = open.length - 1; isControl(element) && at >= 0; at--) {
        const form = open[at] as Element
        if (found.has(form)) break // so have those around it
        found.add(form)
      }
      return true
    },
    leave: element => {
      if (isForm(element)) open.pop()
    },
  })
  return found
}

const isForm = ({ name }: Element): boolean => name === 'form'
