/** Recognizes the marks in a text that lead to its notes. Other links in superscripts are powers, signs and names. */
import type { Element } from 'domhandler'
import { findFootnotes, noteIdOf } from '../../tree/footnotes.ts'
import { rawTextOf } from '../../tree/raw-text.ts'
import { rootOf } from '../../tree/walk.ts'
import type { Outline } from '../outline.ts'

export class Notes {
  readonly #page: Outline
  #references: ReadonlyMap<Element, string> | undefined
  #ids: ReadonlyMap<string, number> | undefined

  constructor(page: Outline) {
    this.#page = page
  }

  /** Returns whether an element is only the mark of a note, whose number is not part of the text. */
  isMark(element: Element): boolean {
    if (element.name === 'sup' && /ref|note/.test(element.attribs.class ?? '')) return true
    const id = noteIdOf(element)
    if (id === null) return false
    return isMarked(element) || nameOfNote.test(id) || this.#isFootnote(element) || this.#isNote(id, element)
  }

  /** Returns whether the note is in a list of footnotes. The list may be hidden until a reader opens a note. */
  #isFootnote(element: Element): boolean {
    this.#references ??= findFootnotes(rootOf(element), () => false).references
    return this.#references.has(element)
  }

  /** Returns whether the link leads to an item of a numbered list, or to a text that begins with its label. */
  #isNote(id: string, element: Element): boolean {
    const { elements, parents, blocks, firstBlock } = this.#page
    this.#ids ??= idsOf(elements)
    const at = this.#ids.get(id)
    if (at === undefined) return false
    const label = withoutBrackets(rawTextOf(element))
    const isItem = elements[at]?.name === 'li' && elements[parents[at] ?? -1]?.name === 'ol'
    if (isItem && /^\d+$/.test(label)) return true
    const [begin] = withoutBrackets(blocks[firstBlock[at] ?? -1]?.text ?? '').split(' ', 1)
    return begin?.replace(/[.:]$/, '') === label
  }
}

/** Ids of notes in publishing systems, even if scripts write the notes. */
const nameOfNote = /(?:foot|end|cite)[-_]?note|^_?(?:ft|ed|f)n\W?\d/i

const isMarked = ({ attribs, children }: Element): boolean =>
  statesNote(attribs) || children.some(child => child.type === 'tag' && statesNote(child.attribs))

const statesNote = ({ role, class: names, ...others }: Element['attribs']): boolean =>
  role === 'doc-noteref' ||
  others['data-footnote-ref'] !== undefined ||
  /(?:^|\s)footnote-ref(?:\s|$)/.test(names ?? '')

const withoutBrackets = (text: string): string =>
  text
    .slice(0, 40)
    .replace(/[[\]()]/g, '')
    .trim()

/** Returns the position of the first element with each id or name. */
function idsOf(elements: readonly Element[]): Map<string, number> {
  const ids = new Map<string, number>()
  for (const [at, { attribs }] of elements.entries()) {
    for (const id of [attribs.id, attribs.name]) if (id !== undefined && !ids.has(id)) ids.set(id, at)
  }
  return ids
}
