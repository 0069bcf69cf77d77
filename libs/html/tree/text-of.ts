/** The text of a part of the page. */
import { type ChildNode, isText, type ParentNode } from 'domhandler'
import { isHidden } from './hidden.ts'
import { isInline } from './inline.ts'
import { walk } from './walk.ts'

/** Collapses white space like HTML, and trims the text. */
export const collapse = (text: string): string => text.replace(/[\t\n\f\r ]+/g, ' ').trim()

/**
 * Returns the visible text of a node on one line. White space is collapsed, elements that are not inline separate
 * words, and content that is never shown (scripts, templates, ...) is left out.
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

/** Returns all text of a node unchanged, like `textContent` of the DOM: for scripts and code. */
export function rawTextOf(node: ParentNode): string {
  let text = ''
  walk(node, {
    text: ({ data }) => {
      text += data
    },
  })
  return text
}
