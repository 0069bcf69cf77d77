/** Writes a clean tree as plain text: paragraphs parted by an empty line, items and rows by a line's end. */
import type { ChildNode, Document, Element } from 'domhandler'
import { inline } from './element-kinds.ts'

/** How many line ends stand before and after an element, at least. */
const breaks: ReadonlyMap<string, number> = new Map(
  Object.entries({
    li: 1,
    tr: 1,
    dt: 1,
    dd: 1,
    td: 0,
    th: 0,
    div: 2,
    figcaption: 2,
  }),
)
const marks: ReadonlyMap<string, string> = new Map(Object.entries({ li: '- ' }))

type Level = { nodes: ChildNode[]; at: number; lines: number; pre: boolean }

export function articleText(root: Document): string {
  const paper = new Paper()
  const levels: Level[] = [{ nodes: root.children, at: 0, lines: 0, pre: false }]
  for (let top = levels.at(-1); top !== undefined; top = levels.at(-1)) {
    const node = top.nodes[top.at++]
    if (node === undefined) {
      paper.part(top.lines)
      levels.pop()
    } else if (node.type === 'text') paper.write(node.data, top.pre)
    else if (node.type === 'tag') levels.push(enter(node, top, paper))
  }
  return paper.text
}

function enter(node: Element, top: Level, paper: Paper): Level {
  const { name } = node
  const lines = name === 'br' ? 1 : inline.has(name) ? 0 : (breaks.get(name) ?? 2)
  paper.part(lines)
  if (name === 'td' || name === 'th') paper.cell()
  paper.mark(marks.get(name) ?? '')
  return { nodes: node.children, at: 0, lines: name === 'br' ? 0 : lines, pre: top.pre || name === 'pre' }
}

class Paper {
  readonly #parts: string[] = []
  #lines = 0
  /** White space to be written before more of the same line. */
  #space = ''
  #mark = ''

  get text(): string {
    return this.#parts.join('')
  }

  /** What follows stands so many lines further down. */
  part(lines: number): void {
    if (lines > this.#lines) this.#lines = lines
  }

  /** What follows is a cell of its own. */
  cell(): void {
    this.#space = '\t'
  }

  mark(mark: string): void {
    if (mark !== '') this.#mark = mark
  }

  write(data: string, pre: boolean): void {
    const words = data.trim()
    const before = data.slice(0, data.length - data.trimStart().length)
    if (before !== '' && this.#space !== '\t') this.#space = pre ? this.#space + before : ' '
    if (words === '') return
    if (this.#parts.length > 0) this.#parts.push(this.#lines > 0 ? '\n'.repeat(this.#lines) : this.#space)
    this.#parts.push(this.#mark, pre ? words : words.replace(/\s+/g, ' '))
    this.#mark = ''
    this.#lines = 0
    const after = data.slice(data.trimEnd().length)
    this.#space = pre || after === '' ? after : ' '
  }
}
