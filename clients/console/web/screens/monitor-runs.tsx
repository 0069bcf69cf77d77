/** The history of a monitor: one row for each due minute, and a strip of their outcomes. */
import type { MonitorRun } from '@tidemark/sdk'
import { addressOf } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { useReading } from '../data/reading.ts'
import { scheduleWords } from '../data/schedule.ts'
import { count, spoken } from '../data/words.ts'
import { Facts, Panel, Screen } from '../parts/layout.tsx'
import { Mark, Time } from '../parts/marks.tsx'
import { Empty, Waiting } from '../parts/messages.tsx'
import { type Column, Table } from '../parts/table.tsx'

export function MonitorRuns({ id }: { id: number }) {
  const monitor = useReading(signal => tidemark.monitors.get(id, { signal }), [id])
  const runs = useReading(signal => tidemark.monitors.runs(id, { limit: 100, signal }), [id])
  const { data } = monitor
  const items = runs.data?.items
  return (
    <Screen
      title={data?.url ?? `Monitor ${id}`}
      mark={data && <Mark state={data.enabled ? 'active' : 'paused'} />}
      trail={
        <>
          <a href={addressOf('/monitors')}>Monitors</a> <span aria-hidden="true">/</span> {id}
        </>
      }
      call={{ id: 'listMonitorRuns', path: { id } }}
    >
      <Waiting reading={monitor} what="the monitor" />
      {data && (
        <Facts
          facts={[
            ['Schedule', `${scheduleWords(data.schedule)} (${data.timezone})`],
            ['Next', <Time key="n" at={data.next_fires_at} />],
            ['Failures in a row', count(data.consecutive_failures)],
            ['Webhook', data.webhook_url],
          ]}
        />
      )}
      <Panel title="History" isFlush>
        <Waiting reading={runs} what="the history" />
        {items?.length === 0 && <Empty title="The monitor has not been due yet." />}
        {items && items.length > 0 && (
          <>
            <div class="strip" aria-hidden="true">
              {items.toReversed().map(({ minute, status }) => (
                <span key={minute} class={`strip-part ${status}`} title={`${minute}: ${status}`} />
              ))}
            </div>
            <Table
              caption="History"
              columns={columnsOf(items)}
              rows={items}
              rowKey={({ minute, asked }) => `${minute} ${asked}`}
            />
          </>
        )}
      </Panel>
    </Screen>
  )
}

/** Returns the id of the last done crawl before a run. The list has the newest first. Null: the list has none. */
function earlierOf(items: readonly MonitorRun[], run: MonitorRun): number | null {
  const later = items.slice(items.indexOf(run) + 1)
  return later.find(({ run_id, status }) => run_id !== null && status === 'done')?.run_id ?? null
}

const columnsOf = (items: readonly MonitorRun[]): Column<MonitorRun>[] => [
  {
    key: 'minute',
    label: 'Due',
    isMain: true,
    cell: ({ minute, asked }) => (
      <>
        <Time at={minute} /> {asked && <span class="quiet">on request</span>}
      </>
    ),
  },
  { key: 'status', label: 'State', cell: ({ status }) => <Mark state={status} /> },
  {
    key: 'run',
    label: 'Crawl',
    isNumber: true,
    cell: ({ run_id }) => run_id !== null && <a href={addressOf(`/crawls/${run_id}`)}>{run_id}</a>,
  },
  {
    key: 'changes',
    label: 'Changes',
    cell: run => {
      const earlier = earlierOf(items, run)
      return (
        run.run_id !== null &&
        earlier !== null &&
        run.status === 'done' && (
          <a
            href={addressOf('/diff', { old: earlier, new: run.run_id })}
            aria-label={`Changes of crawl ${run.run_id}`}
          >
            compare
          </a>
        )
      )
    },
  },
  {
    key: 'pages',
    label: 'Pages',
    isNumber: true,
    isMinor: true,
    cell: ({ page_count }) => page_count !== null && count(page_count),
  },
  {
    key: 'errors',
    label: 'Errors',
    isNumber: true,
    isMinor: true,
    cell: ({ error_count }) => error_count !== null && count(error_count),
  },
  { key: 'reason', label: 'Reason', isMinor: true, cell: ({ reason }) => reason && spoken(reason) },
]
