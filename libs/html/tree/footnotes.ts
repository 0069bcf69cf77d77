/** Finds footnotes: references, notes, and links that only lead back. */
import { type ChildNode, Element, type ParentNode, Text } from 'domhandler'
import { attribute } from './attribute.ts'
import { shortTextOf } from './raw-text.ts'
import { walk } from './walk.ts'

export type Footnotes = {
  /** Label of each reference. */
  references: ReadonlyMap<Element, string>
  /** Label of each note. */
  notes: ReadonlyMap<Element, string>
  /** Links that lead back to a reference, and repeated labels. They are not part of the text. */
  backLinks: ReadonlySet<Element>
}

type Reference = { element: Element; id: string; text: string; back: string[] }

const none: Footnotes = { references: new Map(), notes: new Map(), backLinks: new Set() }
const noteNames = new Set(['li', 'div', 'p', 'aside', 'section'])
const listClass = /(?:^|\s)(?:(?:wp-block-)?footnotes?(?:-list)?|endnotes)(?:\s|$)/i
const listRole = /^doc-(?:endnotes|footnotes?)$/

/**
 * Finds footnotes that have a reference and a note, with the note after the first reference.
 * @param isLeftOut Returns whether an element and its notes are not read.
 */
export function findFootnotes(root: ParentNode, isLeftOut: (element: Element) => boolean): Footnotes {
  const references = referencesIn(root)
  const [first] = references
  if (first === undefined) return none
  const wanted = new Set(references.map(({ id }) => id))
  const found = notesIn(root, { wanted, first: first.element, isLeftOut })
  const labels = labelsOf(references.filter(({ id }) => found.has(id)))
  const backTo = new Set(references.flatMap(({ back }) => back))
  const notes = new Map([...found].flatMap(([id, element]) => pair(element, labels.get(id))))
  return {
    references: new Map(references.flatMap(({ element, id }) => pair(element, labels.get(id)))),
    notes,
    backLinks: backLinksIn(root, notes, backTo),
  }
}

/** Returns whether an `a` or a `sup` looks like a reference, so that the search for footnotes is worthwhile. */
export const looksLikeReference = (element: Element): boolean =>
  element.name === 'a'
    ? refers(element)
    : element.children.slice(0, 3).some(child => child instanceof Element && child.name === 'a')

const pair = (element: Element, label: string | undefined): [Element, string][] =>
  label === undefined ? [] : [[element, label]]

/**
 * Returns the id of the note that an element leads to, or null if it is not a whole reference: a link to a note, or a
 * `sup` of only such a link.
 */
export function noteIdOf(element: Element): string | null {
  const link = element.name === 'sup' ? element.children.find(isLink) : element
  const reference = link instanceof Element ? referenceOf(link) : null
  return reference?.element === element ? reference.id : null
}

const isLink = (node: ChildNode): boolean => node instanceof Element && node.name === 'a'

/** Returns the references: `sup > a`, `a > sup`, and links marked as such. */
function referencesIn(root: ParentNode): Reference[] {
  const found: Reference[] = []
  walk(root, {
    enter: element => {
      const reference = referenceOf(element)
      if (reference !== null) found.push(reference)
      return reference === null
    },
  })
  return found
}

/** Returns the reference that a link is, or null. */
function referenceOf(element: Element): Reference | null {
  if (element.name !== 'a' || !refers(element)) return null
  const id = fragmentOf(element)
  const text = labelIn(element)
  if (id === '' || text === null || text === '' || text.length > 4) return null
  const around = supAround(element)
  const whole = around !== null && labelIn(around) === text ? around : element
  return {
    element: whole,
    id,
    text,
    back: [idOf(element), idOf(whole), idOf(whole.parent)].filter(Boolean),
  }
}

/** Maximum characters of a text that may be a label or a sign, with its white space. */
const maxText = 200

/** Returns the text of a short element without brackets and white space, or null if it is long. */
const labelIn = (element: Element): string | null =>
  shortTextOf(element, maxText)?.replace(/[[\]()\s]/g, '') ?? null

/** Returns whether a link within the page is in, or around, a `sup`, or is marked as a reference. */
const refers = (element: Element): boolean =>
  element.attribs.href?.trimStart().startsWith('#') === true &&
  (supAround(element) !== null || onlySup(element) || isMarkedReference(element))

const isMarkedReference = (element: Element): boolean =>
  element.attribs.role === 'doc-noteref' ||
  element.attribs['data-footnote-ref'] !== undefined ||
  /(?:^|\s)footnote-(?:ref|anchor)(?:\s|$)/.test(element.attribs.class ?? '')
const supAround = ({ parent }: Element): Element | null =>
  parent instanceof Element && parent.name === 'sup' && parent.children.length <= 3 ? parent : null
const onlySup = ({ children }: Element): boolean =>
  children.length === 1 && children[0] instanceof Element && children[0].name === 'sup'
const idOf = (element: ParentNode | null): string =>
  element instanceof Element ? (attribute(element, 'id') ?? attribute(element, 'name') ?? '') : ''

function fragmentOf(element: Element): string {
  const href = attribute(element, 'href')?.trim() ?? ''
  if (!href.startsWith('#')) return ''
  try {
    return decodeURIComponent(href.slice(1))
  } catch {
    return href.slice(1)
  }
}

type Search = {
  wanted: ReadonlySet<string>
  /** The first reference, before all notes. */
  first: Element
  isLeftOut: (element: Element) => boolean
}

/** Returns the first element with each of the wanted ids in lists of footnotes. */
function notesIn(root: ParentNode, { wanted, first, isLeftOut }: Search): Map<string, Element> {
  const found = new Map<string, Element>()
  const lists: Element[] = []
  let begun = false
  walk(root, {
    enter: element => {
      if (element === first) begun = true
      if (isLeftOut(element)) return false
      const isOfList = isList(element)
      if (isOfList) lists.push(element)
      if (!begun || lists.length === 0 || !noteNames.has(element.name)) return true
      const id = idOf(element) || (isOfList ? idOfNumber(element) : '')
      if (wanted.has(id) && !found.has(id)) found.set(id, element)
      return true
    },
    leave: element => {
      if (lists[lists.length - 1] === element) lists.pop()
    },
  })
  return found
}

/** Returns the id of the link that is the number of a note, as in Substack, or the empty string. */
function idOfNumber({ children }: Element): string {
  const first = children.slice(0, 2).find(child => child instanceof Element)
  return first instanceof Element && first.name === 'a' ? idOf(first) : ''
}

/** Returns whether an element is a list of footnotes. The pattern runs only on classes that contain "note". */
const isList = ({ attribs }: Element): boolean =>
  (attribs.class?.includes('note') === true && listClass.test(attribs.class)) ||
  (attribs.role !== undefined && listRole.test(attribs.role))

/** Returns the labels: the text of the reference if it is a short unique word, else a number. */
function labelsOf(references: readonly Reference[]): Map<string, string> {
  const labels = new Map<string, string>()
  const used = new Set<string>()
  let number = 1 // numbers below it, and not below the count of labels, are in use
  for (const { id, text } of references) {
    if (labels.has(id)) continue
    let label = /^[a-z\d]+$/i.test(text) ? text : ''
    number = Math.max(number, labels.size + 1)
    while (label === '' || used.has(label)) label = String(number++)
    used.add(label)
    labels.set(id, label)
  }
  return labels
}

const backSign = /^(?:\s|\ufe0f|[↩↑^⏎⤴↵])*$/u

/** Returns the links that lead back, and labels. Notes may be nested. */
function backLinksIn(
  root: ParentNode,
  notes: ReadonlyMap<Element, string>,
  backTo: ReadonlySet<string>,
): Set<Element> {
  const links = new Set<Element>()
  let depth = 0
  walk(root, {
    enter: element => {
      if (notes.has(element)) depth++
      if (depth === 0) return true
      if (element.name === 'a' && isBackLink(element, backTo)) links.add(withBrackets(element, backTo))
      if (isLabel(element, notes)) links.add(element)
      return true
    },
    leave: element => {
      if (notes.has(element)) depth--
    },
  })
  return links
}

/** Returns the element around links that lead back, if it has nothing else but brackets and commas, else the link. */
function withBrackets(link: Element, backTo: ReadonlySet<string>): Element {
  const { parent } = link
  if (!(parent instanceof Element) || parent.name !== 'span' || parent.children.length > maxParts) return link
  let rest = ''
  for (const child of parent.children) {
    if (child instanceof Element && child.name === 'a' && isBackLink(child, backTo)) continue
    const text = child instanceof Element && child.children.length === 1 ? child.children[0] : child
    rest += text instanceof Text ? text.data : '?'
  }
  return brackets.test(rest) ? parent : link
}

const maxParts = 40
const brackets = /^\s*[[(][\s,]*[\])]\s*$/

/** Returns whether an element repeats the label of its note. Docutils does not link it if there are several references. */
function isLabel(element: Element, notes: ReadonlyMap<Element, string>): boolean {
  const label = element.parent instanceof Element ? notes.get(element.parent) : undefined
  return (
    label !== undefined &&
    /(?:^|\s)label(?:\s|$)/.test(element.attribs.class ?? '') &&
    label === labelIn(element)
  )
}

const isBackLink = (element: Element, backTo: ReadonlySet<string>): boolean =>
  backTo.has(fragmentOf(element)) ||
  attribute(element, 'role') === 'doc-backlink' ||
  (fragmentOf(element) !== '' && isBackSign(shortTextOf(element, maxText)))

const isBackSign = (text: string | null): boolean => text !== null && backSign.test(text)
