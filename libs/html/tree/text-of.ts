/** The text of a part of the page. */
import { type ChildNode, isText, type ParentNode } from 'domhandler'
import { isHidden } from './hidden.ts'
import { isInline } from './inline.ts'
import { walk } from './walk.ts'

/** White space as HTML collapses it, trimmed. */
export const collapse = (text: string): string => text.replace(/[\t\n\f\r ]+/g, ' ').trim()

/**
 * The text in a node as a reader sees it, on one line: white space collapsed, words kept apart where an element
 * that is not inline begins or ends, and what is never shown (scripts, templates, ...) left out.
 */
export function textOf(node: ChildNode | ParentNode): string {
  if (isText(node)) return collapse(node.data)
  if (!('children' in node)) return ''
  let text = ''
  walk(node, {
    enter: element => {
      if (isHidden(element)) return false
      if (!isInline(element.name)) text += ' '
      return true
    },
    leave: element => {
      if (!isInline(element.name)) text += ' '
    },
    text: ({ data }) => {
      text += data
    },
  })
  return collapse(text)
}

/** All text in a node exactly as it stands, as `textContent` of the DOM: for scripts and code. */
export function rawTextOf(node: ParentNode): string {
  let text = ''
  walk(node, {
    text: ({ data }) => {
      text += data
    },
  })
  return text
}
