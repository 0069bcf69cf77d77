/** The text of code as browsers lay it out: its white space, its line breaks and its lines in blocks. */
import type { Element, ParentNode } from 'domhandler'
import { isInline } from './inline.ts'
import { walk } from './walk.ts'

/**
 * Returns the code of an element without empty lines at its start and end. Blocks within it are lines, and tabs
 * separate cells.
 * @param isLeftOut Returns whether an element is left out with its content. It is called once for each other element.
 */
export function codeText(root: ParentNode, isLeftOut: (element: Element) => boolean = never): string {
  let code = ''
  /** Cached, because inspecting the end of a growing text copies it. */
  let atStart = true
  const add = (text: string) => {
    code += text
    if (text !== '') atStart = text.endsWith('\n')
  }
  const line = () => {
    if (!atStart) add('\n')
  }
  walk(root, {
    enter: element => {
      if (element.name === 'br') add('\n')
      if (isLeftOut(element)) return false
      if (startsLine(element)) line()
      else if (isCell(element) && !atStart) add('\t')
      return true
    },
    leave: element => {
      if (startsLine(element)) line()
    },
    text: ({ data }) => add(data),
  })
  return code
    .replace(/\u00a0/g, ' ')
    .replace(/^(?:[\t ]*\n)+/, '')
    .trimEnd()
}

const never = (): boolean => false

const isCell = ({ name }: Element): boolean => name === 'td' || name === 'th'

const startsLine = (element: Element): boolean =>
  !isInline(element.name) && element.name !== 'br' && !isCell(element) && !element.name.includes('-')
