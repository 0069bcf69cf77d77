/** The newest events of a crawl. The reader can hold them still. */
import type { Run } from '@tidemark/sdk'
import { useMemo } from 'preact/hooks'
import { addressOf } from '../data/address.ts'
import type { RunEvents, TailEvent } from '../data/run-events.ts'
import { originOf, pathIn } from '../data/words.ts'
import { Panel } from '../parts/layout.tsx'
import { Mark, Status, Time } from '../parts/marks.tsx'
import { Empty, Fault } from '../parts/messages.tsx'
import { type Column, Table } from '../parts/table.tsx'

export function Tail({ run, events, isActive }: { run: Run; events: RunEvents; isActive: boolean }) {
  const { tail, isPaused, error } = events
  const columns = useMemo(() => columnsOf(run.id, originOf(run.url)), [run.id, run.url])
  const hold = (
    <button type="button" aria-pressed={isPaused.value} onClick={() => (isPaused.value = !isPaused.value)}>
      {isPaused.value ? 'Follow' : 'Hold'}
    </button>
  )
  return (
    <Panel title={isActive ? 'Live' : 'Events'} aside={isActive || isPaused.value ? hold : sampled} isFlush>
      <Fault error={error.value} />
      {tail.value.length === 0 ? (
        <Empty title={isActive ? 'Waiting for the first page.' : 'No events.'} />
      ) : (
        <Table caption="Events, newest first" columns={columns} rows={tail.value} rowKey={({ id }) => id} />
      )}
    </Panel>
  )
}

const sampled = <span class="quiet">at most ten pages of each second</span>

const columnsOf = (run: number, origin: string | null): Column<TailEvent>[] => [
  { key: 'at', label: 'Time', isMinor: true, cell: ({ at }) => (at ? <Time at={at} /> : '') },
  {
    key: 'what',
    label: 'Event',
    cell: ({ what }) => (/^\d+$/.test(what) ? <Status code={Number(what)} /> : <Mark state={what} />),
  },
  {
    key: 'url',
    label: 'URL',
    isMain: true,
    cell: ({ url, page }) =>
      url !== '' && (
        <a
          class="plain-link"
          href={
            page === null
              ? addressOf(`/crawls/${run}/explain`, { url })
              : addressOf(`/crawls/${run}/pages/${page}`)
          }
        >
          {pathIn(url, origin)}
        </a>
      ),
  },
  {
    key: 'detail',
    label: 'Detail',
    isMinor: true,
    cell: ({ detail }) => <span class="quiet cut">{pathIn(detail, origin)}</span>,
  },
]
