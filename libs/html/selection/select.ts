/** Finds elements by CSS selectors (Selectors Level 4, as far as css-select knows it). */
import { compile, selectAll, selectOne } from 'css-select'
import type { Document, Element } from 'domhandler'

/** Why this is no selector, or null when it is one. */
export function selectorFault(selector: string): string | null {
  try {
    compile(selector)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** In the order of the page; none for what is no selector. @param most so many at the most; for one it stops at the first. */
export function select(tree: Document, selector: string, most: number): Element[] {
  if (selectorFault(selector) !== null) return []
  if (most > 1) return selectAll(selector, tree.children).slice(0, most) as Element[]
  const first = selectOne(selector, tree.children) as Element | null
  return first === null ? [] : [first]
}
