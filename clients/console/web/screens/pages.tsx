/** All pages of a crawl, filtered and sorted in the browser. */

import { useSignal } from '@preact/signals'
import type { PageItem, Run } from '@tidemark/sdk'
import { useEffect, useMemo } from 'preact/hooks'
import { addressQuery, changeQuery } from '../data/address.ts'
import { arranged } from '../data/arranged.ts'
import { tidemark } from '../data/client.ts'
import { useCommand } from '../data/reading.ts'
import { maxPages, usePages } from '../data/run-pages.ts'
import { bytes, count, counted, originOf } from '../data/words.ts'
import { urlColumn } from '../parts/columns.tsx'
import { Choice, SearchField } from '../parts/controls.tsx'
import { CommandButton, Field, Panel } from '../parts/layout.tsx'
import { Status, Time } from '../parts/marks.tsx'
import { Empty, Fault } from '../parts/messages.tsx'
import { type Column, type Sorting, Table } from '../parts/table.tsx'
import { RunFrame, useRun } from './run-frame.tsx'

export function Pages({ id }: { id: number }) {
  const run = useRun(id)
  const { rows, isLoading, error } = usePages(id, run.data)
  const words = addressQuery.value.get('q') ?? ''
  const status = addressQuery.value.get('status') ?? ''
  const sorting: Sorting = {
    by: addressQuery.value.get('sort') ?? 'id',
    isDown: addressQuery.value.get('order') === 'down',
  }
  const origin = run.data && originOf(run.data.url)
  const columns = useMemo(() => columnsOf(id, origin), [id, origin])
  const { shown, isArranging } = useArranged(rows, words, status, sorting)
  return (
    <RunFrame
      id={id}
      run={run.data}
      current="Pages"
      call={{ id: 'listPages', path: { id }, query: { limit: 1000 } }}
    >
      <Panel
        title={isLoading ? `Loading pages: ${count(rows.length)} …` : counted(shown.length, 'page')}
        aside={<Downloads id={id} />}
        isFlush
      >
        <Filters words={words} status={status} />
        <Fault error={error} />
        {shown.length === 0 && !isLoading && !isArranging ? (
          <Empty title={rows.length === 0 ? withoutPages(run.data) : 'No page matches the filter.'} />
        ) : (
          <Table
            caption={`Pages of crawl ${id}`}
            columns={columns}
            rows={shown}
            rowKey={page => page.id}
            sorting={sorting}
            onSort={({ by, isDown }) => changeQuery({ sort: by, order: isDown ? 'down' : null })}
          />
        )}
      </Panel>
    </RunFrame>
  )
}

const withoutPages = (run: Run | null): string =>
  run === null || run.finished_at === null ? 'The crawl has no pages yet.' : 'The crawl has no pages.'

const classes = [['', 'all'] as const, ...['2', '3', '4', '5'].map(digit => [digit, `${digit}xx`] as const)]

const Filters = ({ words, status }: { words: string; status: string }) => (
  <div class="filters">
    <SearchField label="Filter" placeholder="words of URL or title" words={words} />
    <Field label="Status">
      {id => (
        <Choice id={id} value={status} choices={classes} onChoose={value => changeQuery({ status: value })} />
      )}
    </Field>
  </div>
)

/** Returns the rows, filtered and sorted by the address. The previous rows stay until the next ones are complete. */
function useArranged(rows: PageItem[], words: string, status: string, { by, isDown }: Sorting) {
  const last = useSignal<{ of: PageItem[]; shown: PageItem[] }>({ of: [], shown: [] })
  useEffect(() => {
    const stop = new AbortController()
    const arrangement = { isWanted: filterOf(words, status), compare: orderOf(by, isDown) }
    arranged(rows, arrangement, stop.signal).then(
      shown => {
        if (!stop.signal.aborted) last.value = { of: rows, shown }
      },
      () => {}, // aborted, because a newer arrangement has begun
    )
    return () => stop.abort()
  }, [rows, words, status, by, isDown])
  return { shown: last.value.shown, isArranging: last.value.of !== rows }
}

function filterOf(words: string, status: string): (page: PageItem) => boolean {
  const wanted = words.toLowerCase()
  return page =>
    (status === '' || String(page.status).startsWith(status)) &&
    (wanted === '' ||
      page.url.toLowerCase().includes(wanted) ||
      (page.title ?? '').toLowerCase().includes(wanted))
}

/** Returns the order of a column; null: the order of the list itself. */
function orderOf(by: string, isDown: boolean): ((a: PageItem, b: PageItem) => number) | null {
  if (by === 'id') return null
  const key = by as keyof PageItem
  const sign = isDown ? -1 : 1
  return (a, b) => {
    const [left, right] = [a[key] ?? '', b[key] ?? '']
    return sign * (left < right ? -1 : left > right ? 1 : 0)
  }
}

function Downloads({ id }: { id: number }) {
  const download = useCommand(async () => {
    const response = await tidemark.request('listPages', {
      path: { id },
      query: { format: 'csv', limit: maxPages },
    })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(await response.blob())
    link.download = `crawl-${id}-pages.csv`
    link.click()
    URL.revokeObjectURL(link.href)
  })
  return <CommandButton command={download}>Download CSV</CommandButton>
}

const columnsOf = (run: number, origin: string | null): Column<PageItem>[] => [
  { ...urlColumn('URL', run, origin), isSortable: true },
  {
    key: 'title',
    label: 'Title',
    isMinor: true,
    isSortable: true,
    cell: ({ title }) => <span class="cut">{title}</span>,
  },
  { key: 'status', label: 'Status', isSortable: true, cell: ({ status }) => <Status code={status} /> },
  {
    key: 'depth',
    label: 'Depth',
    isNumber: true,
    isMinor: true,
    isSortable: true,
    cell: ({ depth }) => depth,
  },
  {
    key: 'inlinks',
    label: 'Links in',
    isNumber: true,
    isMinor: true,
    isSortable: true,
    cell: ({ inlinks }) => inlinks !== null && inlinks !== undefined && count(inlinks),
  },
  { key: 'bytes', label: 'Size', isNumber: true, isSortable: true, cell: page => bytes(page.bytes) },
  {
    key: 'fetched_at',
    label: 'Fetched',
    isMinor: true,
    isSortable: true,
    cell: ({ fetched_at }) => <Time at={fetched_at} />,
  },
]
