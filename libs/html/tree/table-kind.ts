/** The purpose of a table: data in rows and columns, or only layout. */
import type { Element } from 'domhandler'
import { attribute, wordsOf } from './attribute.ts'
import { walk } from './walk.ts'

/** `code`: one cell of code beside one with its line numbers. */
export type TableKind = 'data' | 'layout' | 'code'

type Findings = {
  headers: number
  cells: number
  rows: number
  widest: number
  blocks: number
  nested: number
  code: number
}

const blocks = new Set('ul ol dl pre blockquote h1 h2 h3 h4 h5 h6 hr form article section'.split(' '))
const codeTable =
  /^(?:highlighttable|highlight-table|rouge-table|codehilitetable|codehilite-table|gist-table|linenodiv)$/

/**
 * Returns the kind of a table by its attributes and content. Nested tables are only counted, so that each is read
 * once.
 * @param isShown Returns whether an element counts.
 */
export function kindOf(table: Element, isShown: (element: Element) => boolean): TableKind {
  if (wordsOf(table, 'class').some(word => codeTable.test(word))) return 'code'
  if (/^(?:presentation|none)$/i.test(attribute(table, 'role') ?? '')) return 'layout'
  const { headers, cells, rows, widest, blocks, nested } = findings(table, isShown)
  if (rows < 2 || (widest < 2 && headers === 0)) return 'layout'
  if (headers > 0 && cells > 1) return 'data'
  return nested > 0 || blocks > 0 ? 'layout' : 'data'
}

function findings(table: Element, isShown: (element: Element) => boolean): Findings {
  const found: Findings = { headers: 0, cells: 0, rows: 0, widest: 0, blocks: 0, nested: 0, code: 0 }
  let width = 0
  walk(table, {
    enter: element => {
      const { name } = element
      if (!isShown(element)) return false
      if (name === 'tr') {
        found.rows += 1
        width = 0
      }
      if (name === 'th' || name === 'thead' || name === 'caption') found.headers += 1
      if (name === 'td' || name === 'th') {
        found.cells += 1
        width += 1
        found.widest = Math.max(found.widest, width)
      }
      if (blocks.has(name)) found.blocks += 1
      if (name === 'table') found.nested += 1
      return name !== 'table'
    },
  })
  return found
}
