/**
 * Finds elements with `aria-hidden` that hold the content of the page. Open dialogs set it on all of the page behind
 * them, which readers still see. Beside content that is shown, it is on copies and closed parts.
 */
import type { Element, ParentNode } from 'domhandler'
import { isPanel } from '../tree/disclosure.ts'
import { isHidden } from '../tree/hidden.ts'
import { rootOf, walk } from '../tree/walk.ts'
import { isConcealed } from './hiding.ts'
import { isOpenOverlay, isOverlay } from './overlay.ts'

/** Minimum number of paragraphs in an element with content. Decorations and cards have fewer. */
const minParagraphs = 3

/** The elements with content, by the root of their tree, so that each tree is walked once. */
const known = new WeakMap<ParentNode, ReadonlySet<Element>>()

/** An element with `aria-hidden`, or the whole page, and the marks of content in it. */
type Scope = {
  element: Element | null
  main: boolean
  heads: number
  paragraphs: number
  /** Whether it has a main element or a heading that is neither in an inner scope nor in an overlay. */
  showsContent: boolean
  inner: Scope[]
}

/** Returns whether an element with `aria-hidden` holds the content of its page. */
export function holdsContent(element: Element): boolean {
  if (element.children.length === 0) return false
  const root = rootOf(element)
  const found = known.get(root) ?? contentsOf(root)
  known.set(root, found)
  return found.has(element)
}

/** Returns the elements with `aria-hidden` that hold the content of a page. Linear in the tree. */
function contentsOf(root: ParentNode): ReadonlySet<Element> {
  const found = new Set<Element>()
  const page = scopeOf(null)
  const open = [page]
  let overlay: Element | null = null
  walk(root, {
    enter: element => {
      if (isHidden(element) || element.namespace !== undefined) return false
      if (isConcealed(element) && !isPanel(element)) return false
      if (element.attribs['aria-hidden'] === 'true') open.push(scopeOf(element))
      const scope = open.at(-1) as Scope
      if (overlay === null && !scope.showsContent && isOpenOverlay(element)) overlay = element
      count(scope, element, overlay !== null)
      return true
    },
    leave: element => {
      if (element === overlay) overlay = null
      const scope = open.at(-1) as Scope
      if (scope.element !== element) return
      open.pop()
      choose(scope, found)
      add(open.at(-1) as Scope, scope, element)
    },
  })
  choose(page, found)
  return found
}

const scopeOf = (element: Element | null): Scope => ({
  element,
  main: false,
  heads: 0,
  paragraphs: 0,
  showsContent: false,
  inner: [],
})

function count(scope: Scope, { name, attribs, children }: Element, isInOverlay: boolean): void {
  if (children.length === 0) return
  if (name === 'main' || attribs.role === 'main') {
    scope.main = true
    scope.showsContent = true
  } else if (name === 'h1' || name === 'article') {
    scope.heads += 1
    if (!isInOverlay) scope.showsContent = true
  } else if (name === 'p') scope.paragraphs += 1
}

/** Adds an inner scope to the one around it. Overlays count only with a main element. */
function add(around: Scope, inner: Scope, element: Element): void {
  if (!inner.main && inner.heads === 0 && inner.paragraphs === 0) return
  around.inner.push(inner)
  around.main ||= inner.main
  if (isOverlay(element)) return
  around.heads += inner.heads
  around.paragraphs += inner.paragraphs
}

/** Chooses the inner scopes with content. Without a main element, they have it only if it is not shown around them. */
function choose({ showsContent, inner }: Scope, found: Set<Element>): void {
  for (const { element, main, heads, paragraphs } of inner) {
    if (element === null) continue
    const holds = heads > 0 || paragraphs >= minParagraphs
    if (main || (holds && !showsContent && !isOverlay(element))) found.add(element)
  }
}
