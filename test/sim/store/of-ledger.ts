/** The statements of usage-ledger about runs: holds, bills and counters. */
import { dayOf } from '@tidemark/contracts/calendar'
import type { Statement } from './pool.scene.ts'
import type { Row, Transaction } from './tables.ts'

const runs = 'ledger.run'
const holds = 'ledger.hold'
const units = 'ledger.unit'
const counters = 'ledger.counter'
const billed = 'ledger.billed_run'

/** The units of a kind that all runs of a project hold. */
function heldByRuns(view: Transaction, projectId: number, kind: string): number {
  const isPage = kind === 'page'
  return view
    .all(holds)
    .filter(hold => hold.project_id === projectId)
    .reduce((sum, hold) => {
      const run = view.get(runs, hold.run_id)
      const spent = view.get(billed, hold.run_id) ?? { units: 0, cloud_units: 0 }
      const hasEnded = run !== undefined && run.billable !== null
      const most = hasEnded
        ? isPage
          ? run.billable
          : run.cloud_billable
        : isPage
          ? hold.granted
          : hold.cloud_granted
      return sum + Math.max(0, most - (isPage ? spent.units : spent.cloud_units))
    }, 0)
}

function add(view: Transaction, table: string, key: string, start: Row, column: string): void {
  view.lock(`${table}/${key}`)
  const before = view.get(table, key) ?? start
  view.put(table, key, { ...before, [column]: before[column] + 1 })
}

export const ofLedger: readonly Statement[] = [
  {
    text: 'insert into ledger.run (run_id, project_id)',
    run(view, [runIds, projectIds]) {
      for (const [n, run_id] of (runIds as number[]).entries()) {
        view.lock(`${runs}/${run_id}`)
        if (view.get(runs, run_id) !== undefined) continue
        view.put(runs, run_id, { run_id, project_id: projectIds[n], billable: null, cloud_billable: 0 })
      }
      return []
    },
  },
  {
    text: 'select run_id, project_id from ledger.run where run_id = any($1)',
    run: (view, [runIds]) => (runIds as number[]).flatMap(runId => view.get(runs, runId) ?? []),
  },
  {
    text: 'update ledger.run set billable = ended.billable, cloud_billable = ended.cloud_billable',
    run(view, [runIds, pages, clouds]) {
      for (const [n, runId] of (runIds as number[]).entries())
        if (view.get(runs, runId) !== undefined)
          view.update(runs, runId, { billable: pages[n], cloud_billable: clouds[n] })
      return []
    },
  },
  {
    text: 'insert into ledger.hold (run_id, project_id, granted, cloud_granted) select run_id, project_id, billable',
    run(view, [runIds]) {
      for (const run_id of runIds as number[]) {
        const run = view.get(runs, run_id)
        if (run === undefined || run.billable === null) continue
        const { project_id, billable: granted, cloud_billable: cloud_granted } = run
        view.put(holds, run_id, { run_id, project_id, granted, cloud_granted })
      }
      return []
    },
  },
  {
    text: 'update ledger.run set billable = null, cloud_billable = 0',
    run(view, [runIds]) {
      for (const runId of runIds as number[])
        if (view.get(runs, runId) !== undefined)
          view.update(runs, runId, { billable: null, cloud_billable: 0 })
      return []
    },
  },
  {
    text: 'with fresh as (insert into ledger.unit',
    run(view, [tokens, projects, kinds, days, , runIds, pageIds, , , , , counts]) {
      for (const [n, token] of (tokens as string[]).entries()) {
        view.lock(`${units}/${token}`)
        if (view.get(units, token) !== undefined) continue
        const unit = { token, project_id: projects[n], kind: kinds[n], day: days[n], run_id: runIds[n] }
        view.put(units, token, { ...unit, page_id: pageIds[n], units: counts[n] })
        if (counts[n] === 0) continue
        const isPage = kinds[n] === 'page'
        const ofRun = { run_id: runIds[n], units: 0, cloud_units: 0 }
        const ofDay = { project_id: projects[n], day: days[n], pages: 0, cloud_pages: 0 }
        add(view, billed, String(runIds[n]), ofRun, isPage ? 'units' : 'cloud_units')
        add(view, counters, `${projects[n]} ${days[n]}`, ofDay, isPage ? 'pages' : 'cloud_pages')
      }
      return []
    },
  },
  {
    text: '(select granted from ledger.hold where run_id = $1) as granted',
    run: (view, [runId]) => [
      {
        granted: view.get(holds, runId)?.granted ?? null,
        billable: view.get(runs, runId)?.billable ?? null,
      },
    ],
  },
  {
    text: 'left join ledger.reservation as own',
    run(view, [projectId, , kind, day]) {
      const column = kind === 'page' ? 'pages' : 'cloud_pages'
      const month = dayOf(Date.parse(day)).slice(0, 7)
      const ofMonth = view
        .all(counters)
        .filter(row => row.project_id === projectId && row.day.startsWith(month))
      const sum = (rows: Row[]) => rows.reduce((total, row) => total + row[column], 0)
      const today = sum(ofMonth.filter(row => row.day === day))
      const held = heldByRuns(view, projectId, kind)
      return [{ today, month: sum(ofMonth), held, granted: null, reason: null }]
    },
  },
  {
    text: 'insert into ledger.hold (run_id, project_id, granted, cloud_granted) values',
    run(view, [run_id, project_id, granted, cloud_granted]) {
      view.lock(`${holds}/${run_id}`)
      const before = view.get(holds, run_id)
      if (before === undefined) view.put(holds, run_id, { run_id, project_id, granted, cloud_granted })
      else if (granted > 0) view.update(holds, run_id, { granted })
      else view.update(holds, run_id, { cloud_granted })
      return []
    },
  },
  {
    text: 'delete from ledger.hold where run_id in',
    run(view) {
      for (const { run_id } of view.all(holds)) {
        const run = view.get(runs, run_id)
        const spent = view.get(billed, run_id) ?? { units: 0, cloud_units: 0 }
        if (run === undefined || run.billable === null) continue
        if (run.billable <= spent.units && run.cloud_billable <= spent.cloud_units) view.remove(holds, run_id)
      }
      return []
    },
  },
]
