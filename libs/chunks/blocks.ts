/**
 * Splits Markdown into blocks: headings, code, tables, list items and paragraphs. Each block ends where the next one
 * begins, so blank lines belong to the block before them, and the blocks together are the whole text.
 */
import { type Line, linesOf } from './lines.ts'

export type Block = { start: number; end: number } & (
  | { kind: 'heading'; level: number; title: string }
  | { kind: 'code' | 'table' | 'text' }
)

type Fence = { mark: string; quotes: number; indent: number }

/** The state after some lines. */
type State = {
  block: Block | null
  fence: Fence | null
  /** Whether the last line is blank. */
  isBlank: boolean
  isInList: boolean
  before: Line | null
  /** Offset of the first line of the block that is not blank. */
  firstLine: number
}

export function* blocksOf(markdown: string): Generator<Block> {
  const state: State = {
    block: null,
    fence: null,
    isBlank: true,
    isInList: false,
    before: null,
    firstLine: 0,
  }
  for (const line of linesOf(markdown)) {
    const begun = nextBlock(markdown, state, line)
    if (begun !== null) {
      if (state.block !== null && begun.start > state.block.start) yield { ...state.block, end: begun.start }
      state.firstLine = begun.start
      // Blank lines before the first block belong to it.
      state.block = state.block === null ? { ...begun, start: 0 } : begun
    }
    if (state.block !== null) state.block.end = line.end
    state.isBlank = line.content === '' && !line.isItem
    state.before = line
  }
  if (state.block !== null) yield state.block
  else if (markdown !== '') yield { kind: 'text', start: 0, end: markdown.length }
}

/** Returns the block that the line begins, or null if the line continues the current block. */
function nextBlock(markdown: string, state: State, line: Line): Block | null {
  const { start, end } = line
  if (state.fence !== null && !endsContainer(state.fence, line)) {
    if (closes(state.fence, line)) state.fence = null
    return null
  }
  state.fence = null
  if (line.content === '' && !line.isItem) return null
  const fence = fenceIn(line, state.isInList)
  if (fence !== null) {
    state.fence = fence
    return { kind: 'code', start, end }
  }
  const heading = headingIn(line) ?? underlined(markdown, state, line)
  if (heading !== null) {
    state.isInList = false
    return heading
  }
  return tableIn(state, line) ?? textIn(state, line)
}

function textIn(state: State, line: Line): Block | null {
  const { start, end } = line
  const { block } = state
  const isAfterBreak = state.isBlank || block === null || block.kind === 'heading'
  const isOutside = state.before !== null && state.before.quotes !== line.quotes
  if (line.isItem && line.indent < 4) state.isInList = true
  else if (isAfterBreak && line.indent === 0) state.isInList = false
  const isCode = line.indent >= 4 && !state.isInList
  if (block?.kind === 'code' && isCode) return null
  if (isAfterBreak || isOutside) return { kind: isCode ? 'code' : 'text', start, end }
  if (block.kind === 'table') return null
  return line.isItem || block.kind === 'code' ? { kind: 'text', start, end } : null
}

const fenceStart = /^(?:`{3,}(?=[^`]*$)|~{3,})/

function fenceIn({ content, quotes, indent, isItem }: Line, isInList: boolean): Fence | null {
  if (indent >= 4 && !isInList && !isItem) return null
  const [mark] = fenceStart.exec(content) ?? []
  if (mark === undefined) return null
  // In a list item the fence also ends with the item, at the first line that is indented less.
  const isInside = isItem || (isInList && indent >= 2)
  return { mark, quotes, indent: isItem ? indent + 1 : isInside ? indent : 0 }
}

const endsContainer = (fence: Fence, { quotes, indent, content, isItem }: Line): boolean =>
  quotes < fence.quotes || ((content !== '' || isItem) && indent < fence.indent)

function closes({ mark }: Fence, { content, isItem }: Line): boolean {
  if (isItem || content.length < mark.length || !content.startsWith(mark)) return false
  return content === (mark[0] ?? '').repeat(content.length)
}

const hashes = /^(#{1,6})(?:[ \t]+|$)/

function headingIn({ start, end, content, quotes, indent, isItem }: Line): Block | null {
  const [all, marks] = (quotes === 0 && indent < 4 && !isItem && hashes.exec(content)) || []
  if (all === undefined || marks === undefined) return null
  return { kind: 'heading', start, end, level: marks.length, title: titleOf(content.slice(all.length)) }
}

/** Turns a paragraph above a line of `=` or `-` into a heading. */
function underlined(markdown: string, state: State, line: Line): Block | null {
  const { block, isBlank, before } = state
  const isMark = /^(?:=+|-+)$/.test(markdown.slice(line.start, line.end).slice(0, 200).trim())
  if (!isMark || line.quotes > 0 || line.indent >= 4) return null
  const isOpen =
    block?.kind === 'text' && !isBlank && before !== null && !before.isItem && before.quotes === 0
  if (!isOpen || before.start !== state.firstLine) return null
  const level = line.content.startsWith('=') ? 1 : 2
  return { kind: 'heading', start: block.start, end: line.end, level, title: titleOf(before.content) }
}

const delimiters = /^[|:\- \t]+$/

/** Makes a table of the line before a row of delimiters. */
function tableIn({ block, isBlank, before }: State, line: Line): Block | null {
  if (before === null || isBlank || block?.kind !== 'text') return null
  const { content } = line
  const isRow = content.includes('-') && delimiters.test(content) && !line.isItem
  if (!isRow || !before.content.includes('|') || before.quotes !== line.quotes) return null
  return { kind: 'table', start: before.start, end: line.end }
}

/** Maximum characters of a title in a path. */
const maxTitle = 120
/** An escape is matched as such, so that no link begins at an escaped bracket. */
const links =
  /\\.|!?\[((?:\\.|[^[\]\\])*)\]\((?:\\.|[^()\\\s]|\((?:\\.|[^()\\\s])*\))*(?:\s+"(?:\\.|[^"\\])*")?\)/g
/** Signs of markup. An escaped sign and the inside of code are text. */
const marks = /\\([!-/:-@[-`{-~])|`+([^`]+)`+|[*`]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu

/** Returns the text of a heading without its markup. */
export function titleOf(content: string): string {
  const text = content.slice(0, 4 * maxTitle).replace(/(?:^|[ \t])#+[ \t]*$/, '')
  const labels = text.replace(links, (found, label: string | undefined) => label ?? found)
  const plain = labels.replace(marks, (_, escaped?: string, code?: string) => escaped ?? code ?? '')
  return plain.trim().slice(0, maxTitle).toWellFormed()
}
