/** The statements of usage-ledger about runs: holds, bills and counters. */
import { dayOf } from '@tidemark/contracts/calendar'
import type { Statement } from './pool.scene.ts'
import type { Row } from './tables.ts'
import type { Transaction } from './transaction.ts'

const runs = 'ledger.run'
const holds = 'ledger.hold'
const units = 'ledger.unit'
const counters = 'ledger.counter'
const billed = 'ledger.billed_run'
const freeResults = 'ledger.free_result'

/** Columns of a run that has not ended. */
const unended = { billable: null, cloud_billable: 0 }

/** The columns of a kind of units, in the tables of holds, ends, bills and counters. */
const columnsOf = (kind: string) =>
  kind === 'page'
    ? ({ granted: 'granted', billable: 'billable', units: 'units', pages: 'pages' } as const)
    : ({
        ...{ granted: 'cloud_granted', billable: 'cloud_billable' },
        ...{ units: 'cloud_units', pages: 'cloud_pages' },
      } as const)

/** The units of a kind that all runs of a project hold. */
function heldByRuns(view: Transaction, projectId: number, kind: string): number {
  const columns = columnsOf(kind)
  return view
    .all(holds)
    .filter(hold => hold.project_id === projectId)
    .reduce((sum, hold) => {
      const run = view.get(runs, hold.run_id)
      const hasEnded = run !== undefined && run.billable !== null
      const most = hasEnded ? run[columns.billable] : hold[columns.granted]
      return sum + Math.max(0, most - (view.get(billed, hold.run_id)?.[columns.units] ?? 0))
    }, 0)
}

const hold =
  (kind: string): Statement['run'] =>
  (view, [runId]) => {
    const columns = columnsOf(kind)
    const run = view.get(runs, runId)
    const billable = run === undefined || run.billable === null ? null : run[columns.billable]
    const granted = view.get(holds, runId)?.[columns.granted] ?? null
    return [{ granted, billable, is_read: run !== undefined, reopenings: run?.reopenings ?? null }]
  }

/** Adds units to the columns of their kinds. Each row is changed once, as by `group by`. */
function add(
  view: Transaction,
  table: string,
  units: { key: string; start: Row; column: string; units: number }[],
) {
  const byRow = Map.groupBy(units, ({ key }) => key)
  for (const [key, group] of byRow) {
    const sum = { ...group[0]?.start }
    for (const { column, units } of group) sum[column] += units
    const columns = Object.keys(sum).filter(name => group.some(({ column }) => column === name))
    view.upsert(table, key, sum, before =>
      Object.fromEntries(columns.map(name => [name, before[name] + sum[name]])),
    )
  }
  return byRow.size
}

export const ofLedger: readonly Statement[] = [
  {
    text: 'insert into ledger.run (run_id, project_id, reopenings)',
    run(view, [runIds, projectIds]) {
      const stored = (runIds as number[]).filter((run_id, n) =>
        view.insert(runs, run_id, { ...unended, run_id, project_id: projectIds[n], reopenings: 0 }),
      )
      return { rowCount: stored.length }
    },
  },
  {
    text: 'select run_id, project_id from ledger.run where run_id = any($1)',
    run: (view, [runIds]) => [...new Set(runIds as number[])].flatMap(runId => view.get(runs, runId) ?? []),
  },
  {
    text: 'update ledger.run set billable = ended.billable, cloud_billable = ended.cloud_billable',
    run(view, [runIds, pages, clouds]) {
      const known = [...(runIds as number[]).entries()].filter(([, runId]) => view.lockRow(runs, runId))
      for (const [n, runId] of known)
        view.update(runs, runId, { billable: pages[n], cloud_billable: clouds[n] })
      return { rowCount: known.length }
    },
  },
  {
    text: 'insert into ledger.hold (run_id, project_id, granted, cloud_granted) select run_id, project_id, billable',
    run(view, [runIds]) {
      const ended = view
        .all(runs)
        .filter(({ run_id, billable }) => billable !== null && (runIds as number[]).includes(run_id))
      for (const { run_id, project_id, billable: granted, cloud_billable: cloud_granted } of ended) {
        const spent = { granted, cloud_granted }
        view.upsert(holds, run_id, { run_id, project_id, ...spent }, () => spent)
      }
      return { rowCount: ended.length }
    },
  },
  {
    text: 'update ledger.run set billable = null, cloud_billable = 0',
    run(view, [runIds, nths]) {
      const known = [...(runIds as number[]).entries()].filter(([, runId]) => view.lockRow(runs, runId))
      for (const [n, runId] of known) view.update(runs, runId, { ...unended, reopenings: nths[n] })
      return { rowCount: known.length }
    },
  },
  {
    text: 'with fresh as (insert into ledger.unit',
    run(view, [tokens, projects, kinds, days, , runIds, pageIds, , , , , counts]) {
      const fresh = (tokens as string[]).flatMap((token, n) => {
        const unit = { token, project_id: projects[n], kind: kinds[n], day: days[n], run_id: runIds[n] }
        const row: Row = { ...unit, page_id: pageIds[n], units: counts[n] }
        return view.insert(units, token, row) && row.units > 0 ? [row] : []
      })
      const counted = fresh.map(({ project_id, day, kind, units }) => {
        const start = { project_id, day, pages: 0, cloud_pages: 0 }
        return { key: `${project_id} ${day}`, start, column: columnsOf(kind).pages, units }
      })
      const ofRuns = fresh.map(({ run_id, kind, units }) => {
        const start = { run_id, units: 0, cloud_units: 0 }
        return { key: String(run_id), start, column: columnsOf(kind).units, units }
      })
      const rowCount = add(view, counters, counted)
      add(view, billed, ofRuns)
      return { rowCount }
    },
  },
  { text: '(select granted from ledger.hold where run_id = $1) as granted', run: hold('page') },
  { text: '(select cloud_granted from ledger.hold where run_id = $1) as granted', run: hold('cloud_page') },
  {
    text: 'left join ledger.reservation as own',
    run(view, [projectId, , kind, day]) {
      const { pages } = columnsOf(kind)
      const month = dayOf(Date.parse(day)).slice(0, 7)
      const ofMonth = view
        .all(counters)
        .filter(row => row.project_id === projectId && row.day.startsWith(month))
      const sum = (rows: Row[]) => rows.reduce((total, row) => total + row[pages], 0)
      const today = sum(ofMonth.filter(row => row.day === day))
      const held = heldByRuns(view, projectId, kind)
      const free = view.get(freeResults, `${projectId} ${day}`)?.[pages] ?? 0
      return [{ today, month: sum(ofMonth), free, held, granted: null, reason: null }]
    },
  },
  {
    text: 'insert into ledger.free_result (project_id, day, pages, cloud_pages)',
    run(view, [projectIds, days, pages, cloudPages]) {
      const counted = (projectIds as number[]).flatMap((project_id, n) => {
        const day = (days as string[])[n] ?? ''
        const start = { project_id, day, pages: 0, cloud_pages: 0 }
        const of = (column: string, counts: unknown) => ({
          ...{ key: `${project_id} ${day}`, start, column },
          units: (counts as number[])[n] ?? 0,
        })
        return [of('pages', pages), of('cloud_pages', cloudPages)]
      })
      return { rowCount: add(view, freeResults, counted) }
    },
  },
  {
    text: 'insert into ledger.hold (run_id, project_id, granted, cloud_granted) values',
    run(view, [run_id, project_id, granted, cloud_granted], sql) {
      const columns = sql.includes('set cloud_granted') ? { cloud_granted } : { granted }
      view.upsert(holds, run_id, { run_id, project_id, granted, cloud_granted }, () => columns)
      return { rowCount: 1 }
    },
  },
  {
    text: 'delete from ledger.hold where run_id in',
    run(view) {
      const recorded = view.all(holds).filter(({ run_id }) => {
        const run = view.get(runs, run_id)
        const spent = view.get(billed, run_id) ?? { units: 0, cloud_units: 0 }
        if (run === undefined || run.billable === null) return false
        return run.billable <= spent.units && run.cloud_billable <= spent.cloud_units
      })
      const removed = recorded.filter(({ run_id }) => view.lockRow(holds, run_id))
      for (const { run_id } of removed) view.remove(holds, run_id)
      return { rowCount: removed.length }
    },
  },
]
