/** The purpose of a table: data in rows and columns, or only layout. Tables by their roles have the same parts. */
import { Element, type ParentNode } from 'domhandler'
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
      const name = tablePartOf(element)
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

/** Elements without a meaning of their own, of which GitBook and other writers make tables by roles (WAI-ARIA 1.2). */
const generic = new Set(['div', 'span', 'section'])
const cells = new Map([
  ['cell', 'td'],
  ['gridcell', 'td'],
  ['columnheader', 'th'],
  ['rowheader', 'th'],
])
/** Maximum nodes of a table before its first row. */
const maxBefore = 4

/** Returns the name of an element, or that of the part of a table that its role and the roles around it make it. */
export function tablePartOf(element: Element): string {
  const { role } = element.attribs
  const { name } = element
  if (role === undefined || !generic.has(name)) return name
  const { parent, children } = element
  if (isTableRole(role)) return children.slice(0, maxBefore).some(isOfRows) ? 'table' : name
  if (role === 'rowgroup') return isTable(parent) ? 'tbody' : name
  if (role === 'row') return isTable(parent) || isGroup(parent) ? 'tr' : name
  const cell = cells.get(role)
  return cell !== undefined && isRow(parent) ? cell : name
}

/** Returns whether a node is a row. Only possible rows are read further, because cells may be nested without rows. */
const isRow = (node: ParentNode | null): boolean =>
  node instanceof Element && (node.name === 'tr' || node.attribs.role === 'row') && tablePartOf(node) === 'tr'

const isTableRole = (role: string): boolean => role === 'table' || role === 'grid'

const isOfRows = (node: unknown): boolean =>
  node instanceof Element && (node.attribs.role === 'row' || node.attribs.role === 'rowgroup')

const isTable = (node: ParentNode | null): boolean =>
  node instanceof Element && isTableRole(node.attribs.role ?? '') && tablePartOf(node) === 'table'

const isGroup = (node: ParentNode | null): boolean =>
  node instanceof Element && node.attribs.role === 'rowgroup' && isTable(node.parent)
