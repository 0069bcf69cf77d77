/** Writes a clean tree as plain text: an empty line separates paragraphs, a line break separates items and rows. */

import type { Document } from 'domhandler'
import { codeText } from '../tree/code-text.ts'
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
  walk(root, {
    enter: element => {
      const { name } = element
      paper.part(name === 'br' ? 1 : (breaks.get(name) ?? paragraph))
      if (name === 'tr') paper.tabs.beginRow()
      else if (name === 'td' || name === 'th') paper.tabs.add()
      else if (name === 'li') paper.mark('- ')
      if (name !== 'pre') return true
      paper.code(codeText(element))
      paper.part(paragraph)
      return false
    },
    leave: ({ name }) => {
      if (name === 'tr') paper.tabs.clear()
      if (name !== 'br') paper.part(breaks.get(name) ?? paragraph)
    },
    text: ({ data }) => paper.words(data),
  })
  return paper.text
}

class Paper {
  text = ''
  #lines = 0
  /** Whether a space is pending within the line. */
  #space = false
  #mark = ''
  readonly tabs = new RowTabs()

  /** Starts the next text at least this number of lines further down. */
  part(lines: number): void {
    if (lines > this.#lines) this.#lines = lines
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
