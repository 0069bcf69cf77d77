/** The backends that were tried for a page, in their order, with their costs. */
import type { CloudTry } from '@tidemark/sdk'
import { duration, spoken } from '../data/words.ts'
import { Panel } from './layout.tsx'
import { type Column, Table } from './table.tsx'

export function Tried({ tried }: { tried: readonly CloudTry[] }) {
  if (tried.length === 0) return null
  const rows = tried.map((attempt, n) => ({ ...attempt, number: n + 1 }))
  return (
    <Panel title="Backends tried" isFlush>
      <Table caption="Backends tried" columns={columns} rows={rows} rowKey={({ number }) => number} />
    </Panel>
  )
}

const columns: Column<CloudTry & { number: number }>[] = [
  {
    key: 'backend',
    label: 'Backend',
    isMain: true,
    cell: ({ backend, pool }) => (pool === undefined ? backend : `${backend} (${pool})`),
  },
  { key: 'outcome', label: 'Outcome', cell: ({ outcome }) => spoken(outcome) },
  { key: 'reason', label: 'Reason', isMinor: true, cell: ({ reason }) => reason && spoken(reason) },
  { key: 'took', label: 'Took', isNumber: true, cell: ({ elapsed_ms }) => duration(elapsed_ms) },
  { key: 'cost', label: 'USD', isNumber: true, cell: ({ cost_usd }) => cost_usd },
]
