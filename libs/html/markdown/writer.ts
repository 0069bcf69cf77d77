/**
 * The target of the rules: blocks, the text of the current paragraph, and actions at the end of elements. It does not
 * know elements by name.
 */
import type { Element, ParentNode } from 'domhandler'
import { escapeLineStart } from './escape.ts'
import { type Footnotes, findFootnotes, looksLikeReference } from './footnotes.ts'
import { InlineText } from './inline-text.ts'
import { type Container, Lines } from './lines.ts'
import type { MarkKind } from './marks.ts'
import { type LineBreak, renderRuns } from './render-runs.ts'
import type { TableState } from './table-state.ts'

export type ListState = {
  element: Element
  isTight: boolean
  sign: string
  number: number
  width: number
  items: number
}

/** From a link as it stands in the page to its address; null for what is no address. */
export type Resolve = (href: string) => string | null

type End = (writer: Writer) => void

export class Writer {
  readonly lines = new Lines()
  readonly inline = new InlineText()
  readonly resolve: Resolve
  readonly #root: ParentNode
  #footnotes: Footnotes | null = null
  readonly lists: ListState[] = []
  readonly tables: TableState[] = []
  /** Where the link of an element goes that holds whole blocks: to one of these. */
  readonly linked = new Map<Element, string>()
  /** Statements of elements about the language of code in them. */
  readonly languages = new Map<Element, string>()
  /** The list that was written last, for another just below must look different. */
  lastList: { blocks: number; depth: number; sign: string } | null = null
  /** Actions and their element ends, in two parallel lists. */
  readonly #ending: Element[] = []
  readonly #ends: End[] = []
  readonly #flat: ('space' | 'break')[] = []

  constructor(root: ParentNode, resolve: Resolve) {
    this.resolve = resolve
    this.#root = root
  }

  /** The footnotes, once something has looked like a reference to one. */
  get footnotes(): Footnotes | null {
    return this.#footnotes
  }

  /** The label of the footnote that a link or a `sup` refers to. */
  referenceOf(element: Element): string | undefined {
    if (this.#footnotes === null && looksLikeReference(element)) this.#footnotes = findFootnotes(this.#root)
    return this.#footnotes?.references.get(element)
  }

  /** Whether there is only one line, so that blocks cannot be written: in headings, links and cells. */
  get isFlat(): boolean {
    return this.#flat.length > 0
  }

  /** Does something when the element ends. It must be the innermost, and not left out. */
  atEnd(element: Element, end: End): void {
    this.#ending.push(element)
    this.#ends.push(end)
  }

  end(element: Element): void {
    while (this.#ending.length > 0 && this.#ending[this.#ending.length - 1] === element) {
      this.#ending.pop()
      this.#ends.pop()?.(this)
    }
  }

  /** Ends the paragraph, or what stands for one where there is only one line. */
  boundary(): void {
    const flat = this.#flat.at(-1)
    if (flat !== undefined) this.inline.gap(flat)
    else this.#paragraph()
  }

  /** Until the element ends there is only one line, in which blocks are kept apart like that. */
  flatten(element: Element, apart: 'space' | 'break'): void {
    this.#flat.push(apart)
    this.atEnd(element, () => this.#flat.pop())
  }

  mark(element: Element, kind: MarkKind, target?: string): void {
    this.inline.mark(kind, element, target)
    this.atEnd(element, () => this.inline.unmark(element))
  }

  /** Takes off all marks until the element ends. */
  unmarked(element: Element): void {
    const marks = this.inline.swapMarks(null)
    this.atEnd(element, () => this.inline.swapMarks(marks))
  }

  /** Writes what is in the element into a container. */
  contain(element: Element, container: Container): void {
    this.boundary()
    this.lines.enter(container)
    this.atEnd(element, () => {
      this.boundary()
      this.lines.leave()
    })
  }

  /** Writes the content of the element as a footnote of one paragraph: an indented block may be read as code. */
  note(element: Element, label: string): void {
    this.boundary()
    this.atEnd(element, () => this.block(`[^${label}]: ${escapeLines(this.taken('  \n'))}`))
    this.flatten(element, 'break')
  }

  /** A whole block, as Markdown. */
  block(markdown: string): void {
    if (markdown !== '') this.lines.block(markdown)
  }

  /** The text gathered, as Markdown, and nothing is gathered any more. */
  taken(lineBreak: LineBreak): string {
    return renderRuns(this.inline.take(), lineBreak)
  }

  close(): string {
    this.#paragraph()
    return this.lines.close()
  }

  #paragraph(): void {
    if (!this.inline.isEmpty) this.block(escapeLines(this.taken('  \n')))
  }
}

/** A paragraph of which no line begins another block. */
function escapeLines(text: string): string {
  if (!text.includes('\n')) return escapeLineStart(text, true)
  return text
    .split('\n')
    .map((line, at) => escapeLineStart(line, at === 0))
    .join('\n')
}
