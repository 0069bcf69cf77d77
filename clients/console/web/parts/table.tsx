/**
 * A table whose rows may be 100,000: only the visible ones are in the page. All rows have one height, so that the
 * position of each is known.
 */
import { batch, useSignal } from '@preact/signals'
import { Component, type ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

export type Column<Row> = {
  key: string
  label: string
  cell: (row: Row) => ComponentChildren
  /** Numbers stand at the right. */
  isNumber?: boolean
  /** Whether narrow screens leave the column out. */
  isMinor?: boolean
  /** Whether the column takes the rest of the width. */
  isMain?: boolean
  isSortable?: boolean
}

export type Sorting = { by: string; isDown: boolean }

type TableProps<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  sorting?: Sorting
  onSort?: (sorting: Sorting) => void
}

const rowHeight = 33
/** Rows of a window whose height is not known yet. */
const firstRows = 40
/** The window moves by this number of rows at once, and has about as many above and below the visible ones. */
const stepRows = 4
/** Tables up to this length need no window. */
const plainRows = 120

export function Table<Row>({ caption, columns, rows, rowKey, sorting, onSort }: TableProps<Row>) {
  const first = useSignal(0)
  const windowRows = useSignal(firstRows)
  const pending = useRef(false)
  const isWindowed = rows.length > plainRows
  const start = isWindowed ? Math.min(first.value, Math.max(0, rows.length - windowRows.value)) : 0
  const shown = isWindowed ? rows.slice(start, start + windowRows.value) : rows
  const follow = (event: Event) => {
    const { scrollTop, clientHeight } = event.currentTarget as HTMLElement
    if (!isWindowed || pending.current) return
    pending.current = true
    requestAnimationFrame(() => {
      pending.current = false
      const top = Math.floor(scrollTop / rowHeight / stepRows) * stepRows
      batch(() => {
        first.value = Math.max(0, top - stepRows)
        windowRows.value = Math.ceil(clientHeight / rowHeight) + 2 * stepRows + 1
      })
    })
  }
  const kind = isWindowed ? 'table tall' : 'table'
  const label = `${caption}, as a table`
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class={kind} aria-label={label} tabIndex={0} onScroll={follow}>
      <table aria-rowcount={isWindowed ? rows.length + 1 : undefined}>
        <thead>
          <tr aria-rowindex={isWindowed ? 1 : undefined}>
            {columns.map(column => (
              <Heading key={column.key} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {start > 0 && <Space rows={start} columns={columns.length} />}
          {shown.map((row, n) => (
            <Line
              key={rowKey(row)}
              columns={columns}
              row={row}
              // Without a window, the position in the page is the position in the table.
              position={isWindowed ? start + n + 2 : undefined}
            />
          ))}
          {isWindowed && <Space rows={rows.length - start - shown.length} columns={columns.length} />}
        </tbody>
      </table>
    </section>
  )
}

type LineProps<Row> = { columns: readonly Column<Row>[]; row: Row; position: number | undefined }

/** A row. It is rendered again only if its data, its columns or its position change. */
class Line<Row> extends Component<LineProps<Row>> {
  override shouldComponentUpdate({ columns, row, position }: LineProps<Row>): boolean {
    const { props } = this
    return row !== props.row || columns !== props.columns || position !== props.position
  }

  override render({ columns, row, position }: LineProps<Row>) {
    return (
      <tr aria-rowindex={position}>
        {columns.map(column => (
          <td key={column.key} class={classOf(column)}>
            {column.cell(row)}
          </td>
        ))}
      </tr>
    )
  }
}

type HeadingProps<Row> = {
  column: Column<Row>
  sorting: Sorting | undefined
  onSort: ((sorting: Sorting) => void) | undefined
}

function Heading<Row>({ column, sorting, onSort }: HeadingProps<Row>) {
  const isSorted = sorting?.by === column.key
  const order = isSorted ? (sorting.isDown ? 'descending' : 'ascending') : undefined
  return (
    <th scope="col" class={classOf(column)} aria-sort={order}>
      {column.isSortable && onSort ? (
        <button type="button" onClick={() => onSort({ by: column.key, isDown: isSorted && !sorting.isDown })}>
          {column.label}
          <span aria-hidden="true">{isSorted ? (sorting.isDown ? ' ↓' : ' ↑') : ''}</span>
        </button>
      ) : (
        column.label
      )}
    </th>
  )
}

const Space = ({ rows, columns }: { rows: number; columns: number }) => (
  <tr class="space">
    <td colSpan={columns} style={{ height: `${rows * rowHeight}px` }} />
  </tr>
)

const classOf = ({ isNumber, isMinor, isMain }: Column<never>): string =>
  [isNumber && 'number', isMinor && 'minor', isMain && 'main'].filter(Boolean).join(' ')
