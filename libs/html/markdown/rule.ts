/** A rule says how an element is written. The rules stand in tables by the elements' names. */
import type { Element } from 'domhandler'
import type { Writer } from './writer.ts'

/** Begins an element; answers whether what stands in it is to be written by the rules too. */
export type Rule = (writer: Writer, element: Element) => boolean

/** Keeps a paragraph apart from what is around it. */
export const block: Rule = (writer, element) => {
  writer.boundary()
  writer.atEnd(element, endBlock)
  return true
}

const endBlock = (writer: Writer): void => writer.boundary()

/** Nothing of it is written. */
export const leftOut: Rule = () => false
