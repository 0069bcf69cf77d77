/** Removes parts of a tree by CSS selectors. */
import type { ChildNode, Document, Element, ParentNode } from 'domhandler'
import { createSelection, type Selection } from '../selection/select.ts'
import { setChildren } from './parse-tree.ts'
import { walk } from './walk.ts'

export type Pruning = {
  /** Elements that are removed. */
  ignore?: readonly string[]
  /** If there are any, only these elements stay. */
  only?: readonly string[]
}

/** Maximum elements of one selector. */
const maxElements = 10_000
/** Maximum steps: about 60 ms for one selector, and 200 ms for all selectors of a page. */
const maxSteps = { each: 300_000, all: 1_000_000 }

/**
 * Removes the elements in place, and pauses after each selector. A selector that is invalid or takes too many steps on
 * this page selects nothing.
 */
export function* pruneTree(tree: Document, { ignore = [], only = [] }: Pruning): Generator<void, void> {
  const selection = createSelection(tree, maxSteps)
  const removed = yield* selected(selection, ignore)
  const kept = only.length === 0 ? null : yield* selected(selection, only)
  removeAll(removed)
  if (kept !== null) keepOnly(tree, kept, removed)
}

function* selected(selection: Selection, selectors: readonly string[]): Generator<void, Set<Element>> {
  const elements = new Set<Element>()
  for (const selector of selectors) {
    for (const element of selection.select(selector, maxElements) ?? []) elements.add(element)
    yield
  }
  return elements
}

/** Makes the elements the only children of the tree, each once, in the order of the page. */
function keepOnly(tree: Document, kept: ReadonlySet<Element>, removed: ReadonlySet<Element>): void {
  const isInside = (element: Element, others: ReadonlySet<Element>): boolean => {
    for (let at: ParentNode | null = element.parent; at !== null; at = at.parent)
      if (others.has(at as Element)) return true
    return false
  }
  const tops = [...kept].filter(one => !removed.has(one) && !isInside(one, removed) && !isInside(one, kept))
  setChildren(tree, tops.length > 1 ? orderOf(tree, new Set(tops)) : tops)
}

function orderOf(tree: Document, elements: ReadonlySet<Element>): Element[] {
  const found: Element[] = []
  walk(tree, {
    enter: element => {
      if (elements.has(element)) found.push(element)
      return !elements.has(element)
    },
  })
  return found
}

/** Filters the children of each parent once: a page may have tens of thousands in one. */
function removeAll(removed: ReadonlySet<ChildNode>): void {
  const parents = new Set([...removed].map(({ parent }) => parent))
  for (const parent of parents)
    if (parent !== null)
      setChildren(
        parent,
        parent.children.filter(child => !removed.has(child)),
      )
}
