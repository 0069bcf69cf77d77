/**
 * Finds elements by CSS selectors (Selectors Level 4, as supported by css-select). Selectors and pages come from
 * untrusted sources and can be crafted so that every element is compared with every other. Visited nodes are
 * therefore counted, and the search ends at a limit.
 */
import { compile, selectAll, selectOne } from 'css-select'
import { type PseudoSelector, parse, type Selector } from 'css-what'
import { type AnyNode, type Document, type Element, isTag, Text } from 'domhandler'
import { attribute } from '../tree/attribute.ts'
import { rawTextOf } from '../tree/raw-text.ts'

/** Maximum characters of a selector of a client. */
export const maxSelector = 500
/** Maximum levels of selectors within selectors: the time of compiling grows with the square of the levels. */
const maxLevels = 16

/** Returns the fault of an invalid, long or deeply nested selector, or null if it is valid. */
export function selectorFault(selector: string): string | null {
  try {
    compile(parseSelector(selector))
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Returns the parts of each alternative of a selector.
 * @throws Error for an invalid, long or deeply nested selector
 */
export function parseSelector(selector: string): Selector[][] {
  if (selector.length > maxSelector) throw new Error(`it has more than ${maxSelector} characters`)
  const parsed = parse(selector)
  if (levelsOf(parsed) > maxLevels)
    throw new Error(`its parentheses are nested more than ${maxLevels} levels deep`)
  return parsed
}

/** Returns the levels of selectors within selectors, such as 1 for `a:not(b)`. */
function levelsOf(alternatives: readonly (readonly Selector[])[]): number {
  let deepest = 0
  for (const one of alternatives.flat()) {
    const inside = one.type === 'pseudo' ? selectorsIn(one) : null
    if (inside !== null) deepest = Math.max(deepest, 1 + levelsOf(inside))
  }
  return deepest
}

/** Returns the selectors in the parentheses of a pseudo-class, or null if it has none. */
export function selectorsIn({ name, data }: PseudoSelector): Selector[][] | null {
  if (data === null || typeof data === 'object') return data
  const [, list] = ofSelectors.has(name) ? data.split(/\sof\s(.*)/is) : []
  return list === undefined ? null : parse(list)
}

/** Pseudo-classes with `… of S`, which css-what leaves as text. */
const ofSelectors = new Set(['nth-child', 'nth-last-child'])

export type Selection = {
  /**
   * Returns elements in the order of the page. The list is empty for an invalid selector, and null for one that takes
   * too many steps.
   * @param max Maximum number of elements. With 1 the search stops at the first.
   */
  select(selector: string, max: number): Element[] | null
}

/**
 * Maximum steps: `each` takes about one second. A selector of three parts takes half a million on the largest pages.
 */
const maxSteps = { each: 5_000_000, all: 40_000_000 }

/**
 * Returns the selection of one page for all selectors of one client.
 * @param limits Maximum steps of each selector, and of all.
 */
export function createSelection(tree: Document, limits = maxSteps): Selection {
  const steps = new Steps(limits)
  const adapter = counting(steps)
  return {
    select(selector, max) {
      if (selectorFault(selector) !== null) return []
      steps.begin()
      try {
        // Compiled with this context, a leading combinator never refers to nodes outside of the page.
        const query = compile<AnyNode, Element>(selector, { adapter }, tree.children)
        if (max > 1) return selectAll(query, tree.children, { adapter }).slice(0, max)
        const first = selectOne(query, tree.children, { adapter })
        return first === null ? [] : [first]
      } catch (error) {
        if (error === tooMany) return null
        throw error
      }
    },
  }
}

const tooMany = new Error('the selector takes too many steps')

class Steps {
  readonly #max: typeof maxSteps
  #all: number
  #each = 0

  constructor(max: typeof maxSteps) {
    this.#max = max
    this.#all = max.all
  }

  begin(): void {
    this.#each = this.#max.each
  }

  take(count: number): void {
    this.#all -= count
    this.#each -= count
    if (this.#each < 0 || this.#all < 0) throw tooMany
  }
}

/** Length of a list to copy, or of a text to read, that counts as one step. */
const lengthPerStep = 8

/** Tree adapter of css-select. All of its loops call these functions. */
const counting = (steps: Steps) => ({
  isTag(node: AnyNode): node is Element {
    steps.take(1)
    return isTag(node)
  },
  equals(one: AnyNode, other: AnyNode): boolean {
    steps.take(1)
    return one === other
  },
  getParent(element: Element) {
    steps.take(1)
    return element.parent
  },
  getChildren(node: AnyNode): AnyNode[] {
    steps.take(1)
    return 'children' in node ? node.children : []
  },
  getSiblings(node: AnyNode): AnyNode[] {
    const siblings = node.parent?.children ?? [node]
    steps.take(1 + siblings.length / lengthPerStep)
    return siblings
  },
  prevElementSibling(node: AnyNode): Element | null {
    let before = node.prev
    for (; before !== null && !isTag(before); before = before.prev) steps.take(1)
    return before
  },
  getText(node: AnyNode): string {
    const text = node instanceof Text ? node.data : 'children' in node ? rawTextOf(node) : ''
    steps.take(1 + text.length / lengthPerStep)
    return text
  },
  getName: (element: Element): string => element.name,
  getAttributeValue: (element: Element, name: string): string | undefined =>
    attribute(element, name) ?? undefined,
  hasAttrib: (element: Element, name: string): boolean => attribute(element, name) !== null,
  /** Called only for the top of a page, where no node contains another. */
  removeSubsets: (nodes: AnyNode[]): AnyNode[] => nodes,
})
