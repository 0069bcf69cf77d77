/** Writes a clean tree as plain text: an empty line separates paragraphs, a line break separates items and rows. */
import type { Document } from 'domhandler'
import { walk } from '../tree/walk.ts'
import { collapsed } from './collapsed.ts'
import { inline } from './element-kinds.ts'

/** Minimum line breaks before and after an element. The default is two. */
const breaks = new Map<string, number>(
  Object.entries({
    li: 1,
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
  /** Number of open `pre`. */
  let pre = 0
  walk(root, {
    enter: ({ name }) => {
      paper.part(name === 'br' ? 1 : (breaks.get(name) ?? paragraph))
      if (name === 'tr') paper.row()
      else if (name === 'td' || name === 'th') paper.cell()
      else if (name === 'li') paper.mark('- ')
      else if (name === 'pre') pre += 1
      return true
    },
    leave: ({ name }) => {
      if (name === 'pre') pre -= 1
      else if (name === 'tr') paper.endRow()
      if (name !== 'br') paper.part(breaks.get(name) ?? paragraph)
    },
    text: ({ data }) => paper.write(data, pre > 0),
  })
  return paper.text
}

class Paper {
  text = ''
  #lines = 0
  /** Pending white space within the line. */
  #space = ''
  #mark = ''
  /** Tabs before the next text. Empty cells keep the others in their columns. */
  #tabs = 0
  /** Number of cells of a row without text so far, or null after its first text. */
  #emptyCells: number | null = null

  /** Starts the next text at least this number of lines further down. */
  part(lines: number): void {
    if (lines > this.#lines) this.#lines = lines
  }

  /** Starts a row, whose first cell has no tab before it. */
  row(): void {
    this.#tabs = 0
    this.#emptyCells = 0
  }

  /** Ends a row. Empty cells at its end need no tabs. */
  endRow(): void {
    this.#tabs = 0
    this.#emptyCells = null
  }

  /** Starts a new cell. */
  cell(): void {
    if (this.#emptyCells === null) this.#tabs += 1
    else {
      this.#tabs = this.#emptyCells
      this.#emptyCells += 1
    }
  }

  mark(mark: string): void {
    this.#mark = mark
  }

  write(data: string, pre: boolean): void {
    const ended = data.trimEnd()
    const words = ended.trimStart()
    const before = words === '' ? data : data.slice(0, ended.length - words.length)
    if (before !== '') this.#space = pre ? this.#space + before : ' '
    if (words === '') return
    this.text += this.#separator()
    this.text += this.#mark + (pre ? words : collapsed(words))
    this.#mark = ''
    this.#lines = 0
    this.endRow()
    const after = data.slice(ended.length)
    this.#space = pre || after === '' ? after : ' '
  }

  /** A block within a cell begins in a line of its own, which has tabs only if no other text is in the row. */
  #separator(): string {
    const lines = this.text === '' ? '' : (lineEnds[this.#lines] ?? '')
    const isRowStart = this.#emptyCells !== null
    if (this.#tabs > 0 && (isRowStart || (this.#lines === 0 && this.text !== '')))
      return lines + '\t'.repeat(this.#tabs)
    return this.#lines > 0 || this.text === '' ? lines : this.#space
  }
}

/** Line breaks by their number. */
const lineEnds = ['', '\n', '\n\n']
