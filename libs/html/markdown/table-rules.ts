/** Rules of tables: data as rows, layout as the blocks in it. */
import { Element } from 'domhandler'
import { attribute } from '../tree/attribute.ts'
import { spanOf } from '../tree/cell-span.ts'
import { hasLayout } from '../tree/layout.ts'
import { isCellOfGutter } from '../tree/line-numbers.ts'
import { tableKindOf, tablePartOf } from '../tree/table-kind.ts'
import { apart, block, leftOut, type Rule } from './rule.ts'
import { isShown } from './shown.ts'
import { type Alignment, TableState } from './table-state.ts'
import type { Writer } from './writer.ts'

export const tableRules: Readonly<Record<string, Rule>> = {
  table,
  caption,
  thead: rowGroup,
  tbody: rowGroup,
  tfoot: rowGroup,
  tr: row,
  td: cell,
  th: cell,
  colgroup: leftOut,
  col: leftOut,
}

function table(writer: Writer, element: Element): boolean {
  if (writer.isFlat || tableKindOf(element, isShown) !== 'data') return block(writer, element)
  writer.boundary()
  const state = new TableState(element, writer.spanAllowance)
  writer.tables.push(state)
  writer.atEnd(element, () => {
    writer.boundary()
    writer.tables.pop()
    writer.block(state.close())
  })
  return true
}

function caption(writer: Writer, element: Element): boolean {
  block(writer, element)
  writer.flatten(element, 'space')
  return true
}

/** Begins a row group. Cells extend neither into it nor out of it. */
function rowGroup(writer: Writer, element: Element): boolean {
  const state = writer.isFlat ? undefined : stateOf(writer, element)
  if (state !== undefined) {
    state.endRowGroup()
    writer.atEnd(element, () => state.endRowGroup())
  }
  return block(writer, element)
}

function row(writer: Writer, element: Element): boolean {
  if (writer.isFlat) return block(writer, element)
  const state = stateOf(writer, element)
  state?.beginRow(isHeaderRow(element))
  return state === undefined ? block(writer, element) : true
}

/** Counts a row that is not written, if cells from above may extend into it. */
export function skipRow(writer: Writer, element: Element): void {
  if (tablePartOf(element) === 'tr' && hasLayout(element)) stateOf(writer, element)?.beginRow(false)
}

/** Returns the data table of a row or a cell. */
function stateOf(writer: Writer, element: Element): TableState | undefined {
  const state = writer.tables.at(-1)
  let { parent } = element
  while (parent instanceof Element && tablePartOf(parent) !== 'table') ({ parent } = parent)
  return state?.element === parent ? state : undefined
}

/** Returns whether a row is in `thead`, or has only header cells. */
function isHeaderRow(row: Element): boolean {
  if (row.parent instanceof Element && row.parent.name === 'thead') return true
  const cells = row.children.filter(child => child instanceof Element)
  return cells.length > 0 && cells.every(cell => tablePartOf(cell) === 'th')
}

function cell(writer: Writer, element: Element): boolean {
  if (writer.isFlat) return apart(writer, element)
  const state = stateOf(writer, element)
  if (state === undefined) return !isCellOfGutter(element) && block(writer, element)
  writer.boundary()
  writer.atEnd(element, () => {
    const text = writer.taken('<br>').replaceAll('|', '\\|')
    state.addCell(text, spanOf(element), alignmentOf(element))
  })
  if (tablePartOf(element) === 'th') writer.unmarked(element)
  writer.flatten(element, 'break')
  return true
}

function alignmentOf(element: Element): Alignment {
  const style = /(?:^|[;\s])text-align\s*:\s*(left|center|right)/i.exec(
    attribute(element, 'style') ?? '',
  )?.[1]
  const given = (style ?? attribute(element, 'align') ?? '').toLowerCase()
  return given === 'left' || given === 'center' || given === 'right' ? given : null
}
