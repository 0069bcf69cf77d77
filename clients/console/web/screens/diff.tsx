/** The changes between two crawls, page by page and line by line. */
import { useSignal } from '@preact/signals'
import type { Run, RunDiff } from '@tidemark/sdk'
import { addressOf, addressQuery, changeQuery } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { type CrawlPair, comparableCrawls } from '../data/pairs.ts'
import { useReading } from '../data/reading.ts'
import { sharedCrawl } from '../data/session.ts'
import { count, counted, spoken } from '../data/words.ts'
import { Input } from '../parts/controls.tsx'
import { Field, Panel, Screen, submitting } from '../parts/layout.tsx'
import { Mark, Status, Time } from '../parts/marks.tsx'
import { Empty, Waiting } from '../parts/messages.tsx'
import { ShareBar } from '../parts/pictures.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Lines } from './diff-lines.tsx'

export function Diff() {
  const oldId = Number(addressQuery.value.get('old') ?? 0)
  const newId = Number(addressQuery.value.get('new') ?? 0)
  const url = addressQuery.value.get('url')
  const isChosen = oldId > 0 && newId > 0
  const diff = useReading(
    signal => (isChosen ? tidemark.crawls.diff(oldId, newId, { signal }) : null),
    [oldId, newId],
  )
  const call = isChosen ? ({ id: 'diffCrawls', path: { old_id: oldId, new_id: newId } } as const) : undefined
  return (
    <Screen title="Changes" {...(call && { call })}>
      {!isChosen && sharedCrawl() === null && <Pairs />}
      {sharedCrawl() === null && <Pair key={`${oldId} ${newId}`} oldId={oldId} newId={newId} />}
      {isChosen && <Waiting reading={diff} what="the changes" />}
      {diff.data && <Changes diff={diff.data} />}
      {isChosen && url !== null && <Lines oldId={oldId} newId={newId} url={url} />}
    </Screen>
  )
}

function Pair({ oldId, newId }: { oldId: number; newId: number }) {
  const older = useSignal(oldId > 0 ? String(oldId) : '')
  const newer = useSignal(newId > 0 ? String(newId) : '')
  const send = submitting(() => {
    changeQuery({ old: older.value, new: newer.value, url: null })
  })
  return (
    <form class="search" onSubmit={send}>
      <Field label="Number of the earlier crawl">{id => <Input id={id} value={older} type="number" />}</Field>
      <Field label="Number of the later crawl">{id => <Input id={id} value={newer} type="number" />}</Field>
      <button type="submit" class="main">
        Compare
      </button>
    </form>
  )
}

/** Crawls of the same site, one after the other. */
function Pairs() {
  const runs = useReading(signal => tidemark.crawls.list({ limit: 200, signal }), [])
  const pairs = comparableCrawls(runs.data?.items ?? [])
  return (
    <Panel title="Sites that were crawled more than once" isFlush>
      <Waiting reading={runs} what="the last crawls" />
      {runs.data && pairs.length === 0 && (
        <Empty title="None of the last 200 crawls repeats another one. Crawl a site again, or every day by a monitor.">
          <a href={addressOf('/monitors')}>Monitors</a>
        </Empty>
      )}
      {pairs.length > 0 && (
        <Table
          caption="Crawls to compare"
          columns={pairColumns}
          rows={pairs}
          rowKey={({ later }) => later.id}
        />
      )}
    </Panel>
  )
}

const pairColumns: Column<CrawlPair<Run>>[] = [
  {
    key: 'site',
    label: 'Site',
    isMain: true,
    cell: ({ earlier, later }) => (
      <a href={addressOf('/diff', { old: earlier.id, new: later.id })}>
        {later.url}
        <span class="hidden">{` crawls ${earlier.id} and ${later.id}`}</span>
      </a>
    ),
  },
  {
    key: 'earlier',
    isMinor: true,
    label: 'Earlier crawl',
    cell: ({ earlier }) => <Time at={earlier.enqueued_at} />,
  },
  { key: 'later', label: 'Later crawl', cell: ({ later }) => <Time at={later.enqueued_at} /> },
  {
    key: 'pages',
    label: 'Pages',
    isNumber: true,
    isMinor: true,
    cell: ({ earlier, later }) => `${count(earlier.page_count)} → ${count(later.page_count)}`,
  },
]

type Row = { url: string; what: string; before: number | null; after: number | null; cause: string }

function rowsOf({ changed, added, removed, not_revisited, not_compared }: RunDiff): Row[] {
  const none = { before: null, after: null, cause: '' }
  return [
    ...changed.map(page => ({
      ...none,
      url: page.url,
      what: 'changed',
      before: page.old_status,
      after: page.new_status,
    })),
    ...added.map(({ url, status }) => ({ ...none, url, what: 'added', after: status })),
    ...removed.map(({ url, status }) => ({ ...none, url, what: 'removed', before: status })),
    ...not_revisited.map(({ url, cause }) => ({ ...none, url, what: 'not_revisited', cause })),
    ...not_compared.map(({ url, cause }) => ({ ...none, url, what: 'not_compared', cause })),
  ]
}

function Changes({ diff }: { diff: RunDiff }) {
  const rows = rowsOf(diff)
  const { added, removed, changed, unchanged, not_revisited, not_compared } = diff.summary
  return (
    <>
      <Panel title="Summary">
        <ShareBar
          label="Pages by their change"
          whole="Pages"
          total={added + removed + changed + unchanged + not_revisited + not_compared}
          shares={[
            { name: 'Unchanged', value: unchanged, tone: 'off' },
            { name: 'Changed', value: changed, tone: 'wait' },
            { name: 'Added', value: added, tone: 'good' },
            { name: 'Removed', value: removed, tone: 'bad' },
            { name: 'Not revisited', value: not_revisited, tone: 'twin' },
            { name: 'Not compared', value: not_compared, tone: 'live' },
          ]}
        />
      </Panel>
      <Panel title={counted(rows.length, 'difference')} isFlush>
        {rows.length === 0 ? (
          <Empty title="Nothing that a reader would notice has changed." />
        ) : (
          <Table
            caption="Differences"
            columns={columns}
            rows={rows}
            rowKey={({ what, url }) => `${what} ${url}`}
          />
        )}
      </Panel>
    </>
  )
}

const columns: Column<Row>[] = [
  { key: 'what', label: 'Change', cell: ({ what }) => <Mark state={what} /> },
  {
    key: 'url',
    label: 'URL',
    isMain: true,
    cell: ({ what, url }) =>
      what === 'changed' ? (
        <button type="button" class="link" onClick={() => changeQuery({ url })}>
          {url}
        </button>
      ) : (
        url
      ),
  },
  {
    key: 'status',
    label: 'Status',
    isMinor: true,
    cell: ({ before, after }) => (
      <>
        {before !== null && <Status code={before} />} {before !== null && after !== null && '→'}{' '}
        {after !== null && <Status code={after} />}
      </>
    ),
  },
  { key: 'cause', label: 'Cause', isMinor: true, cell: ({ cause }) => spoken(cause) },
]
