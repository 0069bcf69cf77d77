/** Usage against the caps, by day, and the ledger with every unit. */
import type { LedgerItem } from '@tidemark/sdk'
import { addressOf, addressQuery, changeQuery } from '../data/address.ts'
import { tidemark } from '../data/client.ts'
import { useReading } from '../data/reading.ts'
import { spoken } from '../data/words.ts'
import { Choice, Pager } from '../parts/controls.tsx'
import { Panel, Screen } from '../parts/layout.tsx'
import { Time } from '../parts/marks.tsx'
import { Empty, Waiting } from '../parts/messages.tsx'
import { Bars, Meter } from '../parts/pictures.tsx'
import { type Column, Table } from '../parts/table.tsx'

const kinds = ['page', 'cloud_page', 'model_call'] as const
const partLength = 200

export function Usage() {
  const usage = useReading(signal => tidemark.account.usage({ signal }), [])
  const history = useReading(signal => tidemark.account.usageHistory({ days: 30, signal }), [])
  const kind = kinds.find(name => name === addressQuery.value.get('kind'))
  const offset = Number(addressQuery.value.get('offset') ?? 0)
  const selection = { limit: partLength, offset, ...(kind && { kind }) }
  const ledger = useReading(signal => tidemark.account.ledger({ ...selection, signal }), [kind, offset])
  const points = history.data?.days
    .toSorted((a, b) => (a.date < b.date ? -1 : 1))
    .map(({ date, pages }) => ({ label: date, value: pages }))
  return (
    <Screen title="Usage" call={{ id: 'getUsage' }}>
      <div class="columns">
        <Panel title="Pages by day, 30 days">
          <Waiting reading={history} what="the days" />
          {points && <Bars points={points} label="Pages of each day" unit="pages" />}
        </Panel>
        <Panel title={usage.data ? `Tier ${usage.data.tier}` : 'Tier'}>
          <Waiting reading={usage} what="the usage" />
          {usage.data && (
            <div class="stack">
              <Meter label="Pages today" value={usage.data.today.pages} cap={usage.data.caps.pages_per_day} />
              <Meter
                label="Pages this month"
                value={usage.data.month.pages}
                cap={usage.data.caps.pages_per_month}
              />
              <Meter
                label="Cloud pages today"
                value={usage.data.today.cloud_pages}
                cap={usage.data.caps.cloud_pages_per_day}
              />
              <p class="quiet">Cloud cost this month: {usage.data.month.cloud_cost_usd.toFixed(4)} USD</p>
            </div>
          )}
        </Panel>
      </div>
      <Panel title="Ledger" aside={<Kinds kind={kind} />} isFlush>
        <Waiting reading={ledger} what="the ledger" />
        {ledger.data?.items.length === 0 && <Empty title="Nothing was billed." />}
        {ledger.data && ledger.data.items.length > 0 && (
          <Table caption="Ledger" columns={columns} rows={ledger.data.items} rowKey={keyOf} />
        )}
        <Pager offset={offset} next={ledger.data?.next_offset ?? null} length={partLength} />
      </Panel>
    </Screen>
  )
}

const choices = [['', 'all'] as const, ...kinds.map(name => [name, spoken(name)] as const)]

const Kinds = ({ kind }: { kind: string | undefined }) => (
  <Choice
    label="Kind"
    value={kind ?? ''}
    choices={choices}
    onChoose={value => changeQuery({ kind: value, offset: null })}
  />
)

const keyOf = ({ at, page_id, request_id, url, attempt, kind }: LedgerItem): string =>
  [at, kind, page_id, request_id, url, attempt].join(' ')

const columns: Column<LedgerItem>[] = [
  { key: 'at', label: 'At', cell: ({ at }) => <Time at={at} /> },
  { key: 'operation', label: 'Operation', cell: ({ operation }) => spoken(operation) },
  {
    key: 'url',
    label: 'URL',
    isMain: true,
    cell: ({ url, run_id, page_id }) =>
      run_id !== null && page_id !== null ? (
        <a href={addressOf(`/crawls/${run_id}/pages/${page_id}`)}>{url ?? page_id}</a>
      ) : (
        url
      ),
  },
  { key: 'kind', label: 'Kind', isMinor: true, cell: ({ kind }) => spoken(kind) },
  { key: 'units', label: 'Units', isNumber: true, cell: ({ units }) => units },
  { key: 'reason', label: 'Reason', isMinor: true, cell: ({ reason }) => reason },
  {
    key: 'cost',
    label: 'USD',
    isNumber: true,
    isMinor: true,
    cell: ({ cost_usd }) => cost_usd > 0 && cost_usd.toFixed(5),
  },
]
