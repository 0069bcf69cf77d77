/** The visible text of a part of the page. */
import { type ChildNode, isText, type ParentNode } from 'domhandler'
import { isDrawnFormula } from './drawn-formula.ts'
import { formulaText } from './formula.ts'
import { isHidden } from './hidden.ts'
import { isInline } from './inline.ts'
import { collapse } from './raw-text.ts'
import { walk } from './walk.ts'

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
      if (isHidden(element) || isDrawnFormula(element)) return false
      if (!isInline(element.name)) text += ' '
      if (element.name !== 'math') return true
      text += formulaText(element)
      return false
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
