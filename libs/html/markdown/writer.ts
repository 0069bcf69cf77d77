/**
 * The output of the rules: blocks, the text of the current paragraph, and actions for the end of an element. It is
 * independent of element names.
 */
import type { Element, ParentNode } from 'domhandler'
import { type Footnotes, findFootnotes, looksLikeReference } from '../tree/footnotes.ts'
import { escapeLineStart } from './escape.ts'
import { InlineText } from './inline-text.ts'
import { type Container, Lines } from './lines.ts'
import type { MarkKind } from './marks.ts'
import { type LineBreak, renderRuns } from './render-runs.ts'
import { SpanAllowance, type TableState } from './table-state.ts'

export type ListState = {
  element: Element
  isTight: boolean
  sign: string
  number: number
  /** Added to the number after each item. */
  step: 1 | -1
  width: number
  items: number
  /** Whether an item was written. Empty items are counted, but not written. */
  hasContent: boolean
}

/** Returns the address of a link as written in the page, or null if it has no address. */
export type Resolve = (href: string) => string | null

type End = (writer: Writer) => void

export class Writer {
  readonly lines = new Lines()
  readonly inline = new InlineText()
  readonly resolve: Resolve
  readonly #root: ParentNode
  readonly #isLeftOut: (element: Element) => boolean
  #footnotes: Footnotes | null = null
  readonly lists: ListState[] = []
  readonly tables: TableState[] = []
  readonly spanAllowance = new SpanAllowance()
  /** Targets of links around whole blocks, by the element that receives the link. */
  readonly linked = new Map<Element, string>()
  /** Languages of code by element. */
  readonly languages = new Map<Element, string>()
  /** The last list. Another one just below must have another sign. */
  lastList: { blocks: number; depth: number; sign: string } | null = null
  /** Elements and the actions at their end, in two parallel lists. */
  readonly #ending: Element[] = []
  readonly #ends: End[] = []
  readonly #flat: ('space' | 'break')[] = []

  constructor(root: ParentNode, resolve: Resolve, isLeftOut: (element: Element) => boolean) {
    this.resolve = resolve
    this.#root = root
    this.#isLeftOut = isLeftOut
  }

  /** The footnotes, or null until an element looks like a reference. */
  get footnotes(): Footnotes | null {
    return this.#footnotes
  }

  /** Returns the label of the footnote that a link or a `sup` refers to, if its note is written too. */
  referenceOf(element: Element): string | undefined {
    if (this.#footnotes === null && looksLikeReference(element))
      this.#footnotes = findFootnotes(this.#root, this.#isLeftOut)
    return this.#footnotes?.references.get(element)
  }

  /** Whether the output is a single line without blocks: in headings, links and cells. */
  get isFlat(): boolean {
    return this.#flat.length > 0
  }

  /** Runs an action at the end of the element, which must be the innermost one and not left out. */
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

  /** Ends the paragraph, or separates its equivalent within a single line. */
  boundary(): void {
    const flat = this.#flat.at(-1)
    if (flat !== undefined) this.inline.gap(flat)
    else this.#paragraph()
  }

  /** Writes the element on a single line, with this separator between blocks. */
  flatten(element: Element, separator: 'space' | 'break'): void {
    this.#flat.push(separator)
    this.atEnd(element, () => this.#flat.pop())
  }

  mark(element: Element, kind: MarkKind, target?: string): void {
    this.inline.mark(kind, element, target)
    this.atEnd(element, () => this.inline.unmark(element))
  }

  /** Removes all marks until the element ends. */
  unmarked(element: Element): void {
    const marks = this.inline.swapMarks(null)
    this.atEnd(element, () => this.inline.swapMarks(marks))
  }

  /** Writes the content of the element into a container. */
  contain(element: Element, container: Container): void {
    this.boundary()
    this.lines.enter(container)
    this.atEnd(element, () => {
      this.boundary()
      this.lines.leave()
    })
  }

  /** Writes the content of the element as a footnote in one paragraph, because indented text may become code. */
  note(element: Element, label: string): void {
    this.boundary()
    this.atEnd(element, () => this.block(`[^${label}]: ${escapeLines(this.taken('  \n'))}`))
    this.flatten(element, 'break')
  }

  /** Writes a whole block of Markdown. */
  block(markdown: string): void {
    if (markdown !== '') this.lines.block(markdown)
  }

  /** Returns and removes the collected text as Markdown. */
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

/** Escapes the lines of a paragraph that would begin another block. */
function escapeLines(text: string): string {
  if (!text.includes('\n')) return escapeLineStart(text, true)
  return text
    .split('\n')
    .map((line, at) => escapeLineStart(line, at === 0))
    .join('\n')
}
