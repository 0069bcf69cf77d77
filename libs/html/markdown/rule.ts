/** A rule defines the Markdown of an element. Rules are in tables by the names of elements. */
import type { Element } from 'domhandler'
import type { Writer } from './writer.ts'

/** Begins an element. Returns whether rules also apply to its content. */
export type Rule = (writer: Writer, element: Element) => boolean

/** Separates a paragraph from its surroundings. */
export const block: Rule = (writer, element) => {
  writer.boundary()
  writer.atEnd(element, endBlock)
  return true
}

const endBlock = (writer: Writer): void => writer.boundary()

/** Leaves out the element. */
export const leftOut: Rule = () => false

/** Rule of an element whose text never continues a word outside, such as a custom element or a cell in a cell. */
export const apart: Rule = (writer, element) => {
  writer.inline.gap('space')
  writer.atEnd(element, () => writer.inline.gap('space'))
  return true
}
