/** Starts a crawl with an estimate, and lists the crawls of the project. */
import type { Run, Usage } from '@tidemark/sdk'
import { addressOf, addressQuery, changeQuery } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { type Reading, useInterval, useReading } from '../data/reading.ts'
import { count, counted, duration, endedBy } from '../data/words.ts'
import { Choice, Pager } from '../parts/controls.tsx'
import { Snippet } from '../parts/copy-as.tsx'
import { Panel, Screen } from '../parts/layout.tsx'
import { Mark, Time } from '../parts/marks.tsx'
import { Empty, Waiting } from '../parts/messages.tsx'
import { Meter } from '../parts/pictures.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { StartCrawl } from './start-crawl.tsx'

const pageLength = 50
const states = ['queued', 'running', 'done', 'failed', 'cancelled'] as const

export function Home() {
  const usage = useReading(signal => tidemark.account.usage({ signal }), [])
  const status = states.find(state => state === addressQuery.value.get('status'))
  const offset = Number(addressQuery.value.get('offset') ?? 0)
  const selection = { limit: pageLength, offset, ...(status && { status }) }
  const runs = useReading(signal => tidemark.crawls.list({ ...selection, signal }), [status, offset])
  useInterval(runs.refresh, 3000, runs.data?.items.some(isActive) ?? false)
  return (
    <Screen title="Crawls" call={{ id: 'listCrawls', query: selection }}>
      <div class="columns">
        <Panel title="Start a crawl">
          <StartCrawl />
        </Panel>
        <Panel title="Usage" aside={<a href={addressOf('/usage')}>Details</a>}>
          <Waiting reading={usage} what="the usage" />
          {usage.data && <Caps usage={usage.data} />}
        </Panel>
      </div>
      <Panel title="Recent crawls" aside={<StateChoice status={status} />} isFlush>
        <Waiting reading={runs} what="crawls" />
        {runs.data && <Runs reading={runs} offset={offset} isFiltered={status !== undefined} />}
      </Panel>
    </Screen>
  )
}

const Caps = ({ usage: { caps, today, month } }: { usage: Usage }) => (
  <div class="stack">
    <Meter label="Pages today" value={today.pages} cap={caps.pages_per_day} />
    <Meter label="Pages this month" value={month.pages} cap={caps.pages_per_month} />
    <Meter label="Cloud pages today" value={today.cloud_pages} cap={caps.cloud_pages_per_day} />
  </div>
)

const choices = [['', 'all'] as const, ...states.map(state => [state, state] as const)]

const StateChoice = ({ status }: { status: string | undefined }) => (
  <Choice
    label="State"
    value={status ?? ''}
    choices={choices}
    onChoose={value => changeQuery({ status: value, offset: null })}
  />
)

type RunsProps = {
  reading: Reading<{ items: Run[]; next_offset: number | null }>
  offset: number
  isFiltered: boolean
}

function Runs({ reading: { data }, offset, isFiltered }: RunsProps) {
  const { items = [], next_offset = null } = data ?? {}
  if (items.length === 0 && offset === 0)
    return isFiltered ? (
      <Empty title="No crawl has this state." />
    ) : (
      <Empty title="No crawls yet. Start one above, or from a terminal:">
        <Snippet call={{ id: 'startCrawl', body: { url: 'https://example.com/', max_pages: 50 } }} />
      </Empty>
    )
  return (
    <>
      <Table caption="Recent crawls" columns={columns} rows={items} rowKey={({ id }) => id} />
      <Pager offset={offset} next={next_offset} length={pageLength} />
    </>
  )
}

const isActive = ({ status }: Run): boolean => status === 'queued' || status === 'running'

const columns: Column<Run>[] = [
  {
    key: 'id',
    label: 'Crawl',
    isNumber: true,
    cell: ({ id }) => <a href={addressOf(`/crawls/${id}`)}>{id}</a>,
  },
  {
    key: 'url',
    label: 'Site',
    isMain: true,
    cell: ({ id, url }) => (
      <a class="plain-link" href={addressOf(`/crawls/${id}`)}>
        {url}
      </a>
    ),
  },
  { key: 'status', label: 'State', cell: run => <Mark state={run.paused_at ? 'paused' : run.status} /> },
  { key: 'pages', label: 'Pages', isNumber: true, cell: ({ page_count }) => count(page_count) },
  {
    key: 'errors',
    label: 'Errors',
    isNumber: true,
    cell: ({ id, error_count }) =>
      error_count === 0 ? (
        <span class="quiet">0</span>
      ) : (
        <a
          href={addressOf(`/crawls/${id}/errors`)}
          aria-label={`${counted(error_count, 'error')} of crawl ${id}`}
        >
          {count(error_count)}
        </a>
      ),
  },
  {
    key: 'stop',
    label: 'Ended by',
    isMinor: true,
    cell: ({ stop_reason }) => stop_reason && endedBy(stop_reason),
  },
  { key: 'accepted', label: 'Accepted', isMinor: true, cell: ({ enqueued_at }) => <Time at={enqueued_at} /> },
  { key: 'took', label: 'Took', isNumber: true, isMinor: true, cell: tookOf },
]

function tookOf({ started_at, finished_at }: Run): string {
  if (started_at === null || finished_at === null) return ''
  return duration(Date.parse(finished_at) - Date.parse(started_at))
}
