/**
 * Finds elements with `aria-hidden` that hold the content of the page. Open dialogs set it on all of the page behind
 * them, which readers still see.
 */
import type { Element } from 'domhandler'
import { isHidden } from '../tree/hidden.ts'
import { walk } from '../tree/walk.ts'

/** Paragraphs in an element with content. Decorations and cards have fewer. */
const minParagraphs = 3

/** Parts that style sheets usually hide too: closed dialogs and menus, notices, copies of slides. */
const overlay =
  /modal|dialog|pop(?:up|over)|lightbox|overlay|drawer|off-?canvas|dropdown|tooltip|menu|\bnav|slid|carousel|swiper|cloned|cookie|consent|comment|\bhid(?:e|den)\b/i

/** The decisions, so that nested elements are walked once. */
const known = new WeakMap<Element, boolean>()

type Parts = { element: Element; main: boolean; heads: number; paragraphs: number }

/** Returns whether an element holds the content of a page. Linear in the tree for all of its elements together. */
export function holdsContent(element: Element): boolean {
  if (element.name === 'main') return true
  if (element.children.length === 0) return false
  const found = known.get(element)
  if (found !== undefined) return found
  const root = partsOf(element)
  const open = [root]
  walk(element, {
    enter: inner => {
      if (isHidden(inner) || inner.namespace !== undefined) return false
      if (inner.attribs['aria-hidden'] === 'true') open.push(partsOf(inner))
      else count(open.at(-1) as Parts, inner)
      return true
    },
    leave: inner => {
      const parts = open.at(-1) as Parts
      if (parts.element !== inner) return
      open.pop()
      add(open.at(-1) as Parts, parts)
    },
  })
  return decide(root)
}

function partsOf(element: Element): Parts {
  const parts = { element, main: false, heads: 0, paragraphs: 0 }
  count(parts, element)
  return parts
}

function count(parts: Parts, { name }: Element): void {
  if (name === 'main') parts.main = true
  else if (name === 'h1' || name === 'article') parts.heads += 1
  else if (name === 'p') parts.paragraphs += 1
}

/** Adds an inner element to the one around it. Overlays count only with a main element. */
function add(around: Parts, inner: Parts): void {
  decide(inner)
  around.main ||= inner.main
  if (isOverlay(inner.element)) return
  around.heads += inner.heads
  around.paragraphs += inner.paragraphs
}

function decide({ element, main, heads, paragraphs }: Parts): boolean {
  const holds = main || ((heads > 0 || paragraphs >= minParagraphs) && !isOverlay(element))
  known.set(element, holds)
  return holds
}

const isOverlay = ({ name, attribs: { class: names, id, role } }: Element): boolean =>
  name === 'dialog' ||
  name === 'nav' ||
  overlay.test(`${names ?? ''} ${id ?? ''} ${role ?? ''}`.slice(0, 500))
