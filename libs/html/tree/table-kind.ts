/** The purpose of a table: data in rows and columns, or only layout. */
import type { Element } from 'domhandler'
import { attribute, wordsOf } from './attribute.ts'
import { walk } from './walk.ts'

/** `code`: one cell of code beside one with its line numbers. */
export type TableKind = 'data' | 'layout' | 'code'

/** Elements that are in the cells of a layout, but rarely among data. */
const blocks = new Set('table ul ol dl pre blockquote h1 h2 h3 h4 h5 h6 hr form article section'.split(' '))
const codeTable =
  /^(?:highlighttable|highlight-table|rouge-table|codehilitetable|codehilite-table|gist-table|linenodiv)$/

/**
 * Returns the kind of a table by its attributes and content. Nested tables are only counted, so that each is read
 * once.
 * @param isShown Returns whether an element counts.
 */
export function tableKindOf(table: Element, isShown: (element: Element) => boolean): TableKind {
  if (wordsOf(table, 'class').some(word => codeTable.test(word))) return 'code'
  if (/^(?:presentation|none)$/i.test(attribute(table, 'role') ?? '')) return 'layout'
  const { headers, cells, rows, widest, blocks } = countsOf(table, isShown)
  if (rows < 2 || (widest < 2 && headers === 0)) return 'layout'
  if (headers > 0 && cells > 1) return 'data'
  return blocks > 0 ? 'layout' : 'data'
}

function countsOf(table: Element, isShown: (element: Element) => boolean) {
  const counts = { headers: 0, cells: 0, rows: 0, widest: 0, blocks: 0 }
  let width = 0
  walk(table, {
    enter: element => {
      const { name } = element
      if (!isShown(element)) return false
      if (name === 'tr') {
        counts.rows += 1
        width = 0
      }
      if (name === 'th' || name === 'thead' || name === 'caption') counts.headers += 1
      if (name === 'td' || name === 'th') {
        counts.cells += 1
        width += 1
        counts.widest = Math.max(counts.widest, width)
      }
      if (blocks.has(name)) counts.blocks += 1
      return name !== 'table'
    },
  })
  return counts
}
