/** The text of a part of the page as its source has it. */
import type { ParentNode } from 'domhandler'
import { walk } from './walk.ts'

/** Collapses white space like HTML, and trims the text. */
export const collapse = (text: string): string => text.replace(/[\t\n\f\r ]+/g, ' ').trim()

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

/** Returns all text of a node unchanged, or null if it has more than `max` characters or nodes. Reads no more. */
export function shortTextOf(node: ParentNode, max: number): string | null {
  let text = ''
  let nodes = 0
  const isLong = () => nodes > max || text.length > max
  walk(node, {
    enter: () => {
      nodes += 1
      return true
    },
    text: ({ data }) => {
      nodes += 1
      text += data.slice(0, max + 1)
    },
    ends: isLong,
  })
  return isLong() ? null : text
}
