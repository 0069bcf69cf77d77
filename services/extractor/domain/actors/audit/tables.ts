/** Data tables without header cells. */

import { isShown } from '@tidemark/html/markdown/shown'
import { attribute } from '@tidemark/html/tree/attribute'
import { tableKindOf } from '@tidemark/html/tree/table-kind'
import type { ChildNode, Element } from 'domhandler'
import type { AuditedPage } from './audited-page.ts'
import type { Entry } from './page-index.ts'

/** Minimum rows, and minimum filled cells in one row. Smaller tables without headers are lists of pairs. */
const min = { rows: 3, columns: 3 }

type Shape = { rows: number; widest: number; hasHeaders: boolean; hasTables: boolean }

export function tablesWithoutHeaders(page: AuditedPage): Entry[] {
  const shapes = shapesIn(page)
  return page.index.of('table').filter(({ element, isHidden }) => {
    const shape = shapes.get(element)
    if (shape === undefined || isHidden || shape.hasHeaders || shape.hasTables) return false
    const isLarge = shape.rows >= min.rows && shape.widest >= min.columns
    return isLarge && attribute(element, 'datatable') !== '0' && tableKindOf(element, isShown) === 'data'
  })
}

/** Assigns all rows to their tables in one pass. */
function shapesIn({ index }: AuditedPage): Map<Element, Shape> {
  const shapes = new Map<Element, Shape>()
  for (const { element, table } of index.of('table')) {
    shapes.set(element, { rows: 0, widest: 0, hasHeaders: false, hasTables: false })
    const around = table === null ? undefined : shapes.get(table)
    if (around !== undefined) around.hasTables = true
  }
  for (const { element, table } of index.of('tr')) {
    const shape = table === null ? undefined : shapes.get(table)
    if (shape === undefined) continue
    const cells = element.children.filter(child => 'attribs' in child && /^t[dh]$/.test(child.name))
    shape.rows += 1
    shape.widest = Math.max(shape.widest, cells.filter(isFilled).length)
    shape.hasHeaders ||= cells.some(cell => 'attribs' in cell && isHeader(cell))
  }
  return shapes
}

/** Returns whether a cell has content. Empty cells are spacers. */
const isFilled = (cell: ChildNode): boolean =>
  'children' in cell && cell.children.some(child => child.type !== 'text' || child.data.trim() !== '')

const isHeader = (cell: Element): boolean =>
  cell.name === 'th' ||
  ['scope', 'headers'].some(name => attribute(cell, name) !== null) ||
  /^(?:row|column)header$/.test(attribute(cell, 'role') ?? '')
