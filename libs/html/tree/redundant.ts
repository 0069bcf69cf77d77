/** Parts of a page whose text another element beside or around them already states. All writers leave them out. */
import { Element } from 'domhandler'
import { languageOf } from './code-language.ts'
import { isFootnoteNumber } from './footnote-text.ts'
import { isBlank } from './parse-tree.ts'
import { walk } from './walk.ts'

/**
 * Returns whether an element is only the name of the language of the code below, the mark of a list item, or the number
 * of a footnote at its reference.
 * @param known Languages that `languageOf` has found on the page.
 */
export const isRedundant = (element: Element, known: Map<Element, string>): boolean =>
  isItemMark(element) || isFootnoteNumber(element) || isLanguageLabel(element, known)

function isLanguageLabel(element: Element, known: Map<Element, string>): boolean {
  const { name, next } = element
  const code = next?.type === 'text' ? next.next : next
  if (!(code instanceof Element) || code.name !== 'pre' || name === 'pre') return false
  if (next !== null && next !== code && !isBlank(next)) return false
  const label = labelOf(element, isOwnText)
  return label !== '' && label.toLowerCase() === languageOf(code, known)
}

/** Headings, terms, paragraphs, links and captions are parts of the text, even if they name the language below. */
const isOwnText = ({ name, attribs }: Element): boolean => ownTexts.has(name) || attribs.role === 'heading'

const ownTexts = new Set('h1 h2 h3 h4 h5 h6 p dt a summary figcaption caption'.split(' '))

/** A list without the marks of browsers may have marks of its own. */
function isItemMark(element: Element): boolean {
  const { parent } = element
  if (!(parent instanceof Element) || parent.name !== 'li' || !isFirst(element)) return false
  if (!unmarked.test(parent.attribs.style ?? '')) return false
  const label = labelOf(element, isSignOfText)
  return mark.test(label) || (isOrdered(parent) && isNextNumber(label, parent))
}

const isOrdered = ({ parent }: Element): boolean => parent instanceof Element && parent.name === 'ol'

/** Returns whether a label is the number that writers give the item: the one after that of the item before, or 1. */
function isNextNumber(label: string, item: Element): boolean {
  const number = numberIn(label)
  if (number === 0) return false
  let before = item.prev
  while (before !== null && isBlank(before)) before = before.prev
  if (before === null) return number === 1
  const first = before instanceof Element ? before.children.find(child => !isBlank(child)) : undefined
  return first instanceof Element && number === numberIn(labelOf(first, isSignOfText)) + 1
}

const numberIn = (label: string): number => Number(/^\(?(\d{1,4})[.)]$/.exec(label)?.[1] ?? 0)

/** In code, keys and links, a sign is part of the text. */
const isSignOfText = ({ name }: Element): boolean => partsWithSigns.has(name)

const partsWithSigns = new Set('code kbd samp var a'.split(' '))
const unmarked = /(?:^|[;\s])list-style(?:-type)?\s*:\s*none/i
const mark = /^[•◦‣⁃▪▫■□●○–—·*-]$/

const isFirst = ({ prev }: Element): boolean => prev === null || (prev.prev === null && isBlank(prev))

/** Maximum nodes and characters of a label. */
const maxLabel = { nodes: 12, characters: 40 }

/**
 * Returns the text of a short element without its buttons, or the empty string for a long one.
 * @param isExcluded Returns whether an element is no label. There is no text if one is in the element, or is itself one.
 */
function labelOf(element: Element, isExcluded: (element: Element) => boolean): string {
  let text = ''
  let nodes = element.children.length
  if (nodes > maxLabel.nodes || isExcluded(element)) return ''
  walk(element, {
    enter: inner => {
      if (inner.name === 'button') return false
      nodes += isExcluded(inner) ? Number.POSITIVE_INFINITY : inner.children.length
      return nodes <= maxLabel.nodes
    },
    text: ({ data }) => {
      if (text.length <= maxLabel.characters) text += data
    },
  })
  const isShort = nodes <= maxLabel.nodes && text.length <= maxLabel.characters
  return isShort ? text.trim() : ''
}
