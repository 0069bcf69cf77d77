/** Writes a clean tree as plain text: an empty line separates paragraphs, a line break separates items and rows. */

import type { Document, Element } from 'domhandler'
import { codeText } from '../tree/code-text.ts'
import { RowTabs } from '../tree/row-tabs.ts'
import { tableKindOf } from '../tree/table-kind.ts'
import { walk } from '../tree/walk.ts'
import { collapsed } from './collapsed.ts'
import { inline } from './element-kinds.ts'

/** Minimum line breaks before and after an element. The default is two. */
const breaks = new Map<string, number>(
  Object.entries({
    li: 1,
    thead: 1,
    tbody: 1,
    tfoot: 1,
    tr: 1,
    dt: 1,
    dd: 1,
    td: 0,
    th: 0,
  }),
)
for (const name of inline) breaks.set(name, 0)
const paragraph = 2

export function articleText(root: Document): string {
  const paper = new Paper()
  const rows = new Rows(paper)
  walk(root, {
    enter: element => {
      const { name } = element
      if (name === 'rp') return false // the writer adds parentheses
      if (name === 'rt') paper.words('(')
      if (name === 'br') paper.break()
      else paper.part(breaks.get(name) ?? paragraph)
      rows.enter(element)
      if (name === 'li') paper.mark('- ')
      if (name !== 'pre') return true
      paper.code(codeText(element))
      paper.part(paragraph)
      return false
    },
    leave: element => {
      rows.leave(element)
      const { name } = element
      if (name === 'rt') paper.words(')')
      if (name === 'li') paper.mark('') // an item without text has no mark
      if (name !== 'br') paper.part(breaks.get(name) ?? paragraph)
    },
    text: ({ data }) => paper.words(data),
  })
  return paper.text
}

/** Tabs separate the cells of a row. In a data table a cell is a line, and each further block in it another one. */
class Rows {
  readonly #paper: Paper
  /** Whether each open table contains data, and not only layout. */
  readonly #tables: boolean[] = []
  /** The open cell of a data table. Rows within it are blocks. */
  #cell: Element | null = null

  constructor(paper: Paper) {
    this.#paper = paper
  }

  enter(element: Element): void {
    const { name } = element
    if (name === 'table') this.#tables.push(tableKindOf(element, always) === 'data')
    else if (this.#cell !== null) {
      if (isCell(name) && !isFirst(element)) this.#paper.tabs.add()
    } else if (name === 'tr') this.#paper.tabs.beginRow()
    else if (isCell(name)) {
      this.#paper.tabs.add()
      if (this.#tables.at(-1) !== true) return
      this.#cell = element
      this.#paper.beginCell()
    }
  }

  leave(element: Element): void {
    if (element.name === 'table') this.#tables.pop()
    else if (element.name === 'tr' && this.#cell === null) this.#paper.tabs.clear()
    else if (element === this.#cell) {
      this.#cell = null
      this.#paper.endCell()
    }
  }
}

const always = (): boolean => true
const isFirst = ({ prev }: Element): boolean => prev === null || (prev.type === 'text' && prev.prev === null)
const isCell = (name: string): boolean => name === 'td' || name === 'th'

class Paper {
  text = ''
  #lines = 0
  /** Whether a break is pending. */
  #isBroken = false
  /** Whether a space is pending within the line. */
  #space = false
  #mark = ''
  /** Maximum line breaks before a text. A cell begins without one. */
  #maxBreaks = paragraph
  readonly tabs = new RowTabs()

  /** Starts the next text at least this number of lines further down. */
  part(lines: number): void {
    this.#lines = Math.max(this.#lines, Math.min(lines, this.#maxBreaks))
  }

  /** Breaks the line. Two consecutive breaks separate paragraphs. */
  break(): void {
    this.part(this.#isBroken ? paragraph : 1)
    this.#isBroken = true
  }

  beginCell(): void {
    this.#maxBreaks = 0
  }

  endCell(): void {
    if (this.#maxBreaks > 0) this.#lines = 0
    this.#maxBreaks = paragraph
  }

  mark(mark: string): void {
    this.#mark = mark
  }

  /** Writes words with collapsed white space. */
  words(data: string): void {
    const ended = data.trimEnd()
    const words = ended.trimStart()
    if (words === '' ? data !== '' : words.length < ended.length) this.#space = true
    if (words === '') return
    this.#write(collapsed(words))
    this.#space = ended.length < data.length
  }

  /** Writes code with all its white space. */
  code(code: string): void {
    if (code !== '') this.#write(code)
  }

  #write(text: string): void {
    this.text += this.#separator() + this.#mark + text
    this.#mark = ''
    this.#lines = 0
    this.#isBroken = false
    if (this.#maxBreaks === 0) this.#maxBreaks = 1
    this.#space = false
    this.tabs.clear()
  }

  /** A block within a cell begins in a line of its own, which has tabs only if no other text is in the row. */
  #separator(): string {
    const lines = this.text === '' ? '' : (lineEnds[this.#lines] ?? '')
    const { count, isRowStart } = this.tabs
    if (count > 0 && (isRowStart || (this.#lines === 0 && this.text !== '')))
      return lines + '\t'.repeat(count)
    return this.#lines > 0 || this.text === '' || !this.#space ? lines : ' '
  }
}

/** Line breaks by their number. */
const lineEnds = ['', '\n', '\n\n']
