/** The state of the installation for its operator: services, lags, dead letters, hosts, projects and costs. */
import type { ComponentChildren } from 'preact'
import { addressQuery, changeQuery } from '../../data/address.ts'
import { type Overview, type Part, readOverview } from '../../data/operator.ts'
import { useInterval, useReading } from '../../data/reading.ts'
import { count } from '../../data/words.ts'
import { Figures, Panel, Screen } from '../../parts/layout.tsx'
import { Time } from '../../parts/marks.tsx'
import { Empty, Waiting } from '../../parts/messages.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import * as columns from './columns.tsx'
import { DeadLetters } from './dead-letters.tsx'

const refreshMs = 5_000

export function Operator() {
  const isPaused = addressQuery.value.get('refresh') === 'off'
  const reading = useReading(readOverview, [])
  useInterval(reading.refresh, refreshMs, !isPaused)
  const overview = reading.data
  return (
    <Screen
      title="Operator"
      commands={
        <>
          {overview && (
            <span class="quiet">
              Updated <Time at={overview.generated_at} />
            </span>
          )}
          <button
            type="button"
            aria-pressed={isPaused}
            onClick={() => changeQuery({ refresh: isPaused ? null : 'off' })}
          >
            Pause updates
          </button>
          <button type="button" onClick={reading.reload}>
            Update now
          </button>
        </>
      }
    >
      <Waiting reading={reading} what="the overview" />
      {overview && <Parts overview={overview} />}
    </Screen>
  )
}

function Parts({ overview }: { overview: Overview }) {
  const { services, queues, projections, streams, dead_letters, hosts, projects, costs } = overview
  return (
    <>
      <Summary overview={overview} />
      <Runbooks tracesUrl={overview.traces_url} />
      <PartPanel title="Services" part={services} columns={columns.services} rowKey={row => row.service} />
      <DeadLetters part={dead_letters} missing={<Missing part={dead_letters} />} />
      <PartPanel
        title="Queues"
        part={queues}
        columns={columns.queues}
        rowKey={row => row.stream + row.consumer}
        empty="There is no queue."
      />
      <PartPanel
        title="Projections"
        part={projections}
        columns={columns.projections}
        rowKey={row => row.service + row.projection + row.stream}
        empty="No projection is known."
      />
      <PartPanel
        title="Hosts under pressure"
        part={hosts}
        columns={columns.hosts}
        rowKey={row => row.origin}
        empty="No host requested a pause in the last ten minutes."
      />
      <PartPanel
        title="Projects today"
        aside={projects.total !== null && ofAll(projects.items.length, projects.total)}
        part={projects}
        columns={columns.projects}
        rowKey={row => row.project_id}
        empty="There is no project."
      />
      <PartPanel
        title="Highest costs this month"
        aside={costs.month && `${count(costs.month.cloud_pages)} cloud pages of all projects`}
        part={costs}
        columns={columns.costs}
        rowKey={row => row.project_id}
        empty="No project has costs this month."
      />
      <PartPanel title="Streams" part={streams} columns={columns.streams} rowKey={row => row.stream} />
    </>
  )
}

const ofAll = (shown: number, all: number): string =>
  shown < all ? `${count(shown)} of ${count(all)}` : count(all)

const usd = (value: number): string => `${value.toFixed(2)} USD`

function Summary({ overview: { services, queues, dead_letters, hosts, costs } }: { overview: Overview }) {
  const healthy = services.items.filter(({ status }) => status === 'pass' || status === 'warn').length
  const waiting = queues.items.reduce((sum, one) => sum + one.waiting, 0)
  const letters = dead_letters.total
  return (
    <Figures
      figures={[
        [
          'Services that work',
          <span key="s" class={healthy < services.items.length ? 'bad' : undefined}>
            {healthy} of {services.items.length}
          </span>,
        ],
        ['Messages waiting', queues.available ? count(waiting) : '–'],
        [
          'Dead letters',
          <span key="d" class={letters ? 'bad' : undefined}>
            {letters === null ? '–' : count(letters)}
          </span>,
        ],
        ['Hosts with pauses', hosts.total === null ? '–' : count(hosts.total)],
        ['Pages today', costs.today === null ? '–' : count(costs.today.pages)],
        ['Cost this month', costs.month === null ? '–' : usd(costs.month.cloud_cost_usd)],
      ]}
    />
  )
}

const runbooks = [
  ['First minute', '/docs/operations.md#the-first-minute'],
  ['Alerts', '/docs/operations.md#alerts'],
  ['Repairs', '/docs/operations.md#repairs'],
  ['Causes of faults', '/docs/operating.md#causes'],
  ['Commands', '/docs/operating.md#commands'],
  ['This screen', '/docs/operator.md'],
] as const

const Runbooks = ({ tracesUrl }: { tracesUrl: string | null }) => (
  <nav class="runbooks" aria-label="Runbooks">
    <span class="quiet">Runbooks</span>
    {runbooks.map(([name, address]) => (
      <a key={name} href={address} target="_blank" rel="noreferrer">
        {name}
      </a>
    ))}
    {tracesUrl && (
      <a href={tracesUrl} target="_blank" rel="noreferrer">
        Traces
      </a>
    )}
  </nav>
)

type PartProps<Item> = {
  title: string
  part: Part<Item>
  columns: readonly Column<Item>[]
  rowKey: (row: Item) => string | number
  aside?: ComponentChildren
  empty?: string
}

/** A part of the overview as a table, with the services whose data it lacks. */
function PartPanel<Item>({
  title,
  part,
  columns,
  rowKey,
  aside,
  empty = 'Nothing is known.',
}: PartProps<Item>) {
  return (
    <Panel title={title} aside={aside && <span class="quiet">{aside}</span>} isFlush>
      <Missing part={part} />
      {part.items.length > 0 && <Table caption={title} columns={columns} rows={part.items} rowKey={rowKey} />}
      {part.items.length === 0 && part.available && <Empty title={empty} />}
    </Panel>
  )
}

function Missing({ part: { available, missing } }: { part: Part<unknown> }) {
  if (available) return null
  return (
    <p class="notice" role="status">
      {missing.join(' and ')} did not respond within a second, so this part is incomplete.
    </p>
  )
}
