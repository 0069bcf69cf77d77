/** Writes a clean tree as plain text: an empty line separates paragraphs, a line break separates items and rows. */

import type { Document } from 'domhandler'
import { RowTabs } from '../tree/row-tabs.ts'
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
      if (name === 'tr') paper.tabs.beginRow()
      else if (name === 'td' || name === 'th') paper.tabs.add()
      else if (name === 'li') paper.mark('- ')
      else if (name === 'pre') pre += 1
      return true
    },
    leave: ({ name }) => {
      if (name === 'pre') pre -= 1
      else if (name === 'tr') paper.tabs.clear()
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
  readonly tabs = new RowTabs()

  /** Starts the next text at least this number of lines further down. */
  part(lines: number): void {
    if (lines > this.#lines) this.#lines = lines
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
    this.tabs.clear()
    const after = data.slice(ended.length)
    this.#space = pre || after === '' ? after : ' '
  }

  /** A block within a cell begins in a line of its own, which has tabs only if no other text is in the row. */
  #separator(): string {
    const lines = this.text === '' ? '' : (lineEnds[this.#lines] ?? '')
    const { count, isRowStart } = this.tabs
    if (count > 0 && (isRowStart || (this.#lines === 0 && this.text !== '')))
      return lines + '\t'.repeat(count)
    return this.#lines > 0 || this.text === '' ? lines : this.#space
  }
}

/** Line breaks by their number. */
const lineEnds = ['', '\n', '\n\n']
