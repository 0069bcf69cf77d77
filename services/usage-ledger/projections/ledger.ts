/**
 * Projects USAGE to rows: one unit per token, and counters of days and of runs that grow by exactly the new units. This
 * is one statement, so a repeated delivery is never counted twice. The same transaction ends the reservations of the
 * billed requests.
 */
import { spentOn, textOf } from '@tidemark/contracts/plain-text'
import { servedLimits } from '@tidemark/contracts/served'
import { streams } from '@tidemark/contracts/subjects'
import type { Projection } from '@tidemark/db/projector'
import { readSpent, type Spent } from '../adapters/commits.ts'
import { drop } from '../adapters/reservations.ts'

const record = `
  with fresh as (
    insert into ledger.unit (token, project_id, kind, day, sequence, run_id, page_id, request_id, operation, what, cost_usd,
      units, reason, attempt, created_at, model, input_tokens, output_tokens)
    select * from unnest($1::text[], $2::bigint[], $3::text[], $4::date[], $5::bigint[], $6::bigint[], $7::bigint[],
      $8::text[], $9::text[], $10::text[], $11::numeric[], $12::smallint[], $13::text[], $14::smallint[], $15::timestamptz[],
      $16::text[], $17::bigint[], $18::bigint[])
    on conflict (token) do nothing
    returning project_id, day, kind, cost_usd, run_id, units
  ), of_runs as (
    insert into ledger.billed_run (run_id, units, cloud_units)
    select run_id, coalesce(sum(units) filter (where kind = 'page'), 0),
      coalesce(sum(units) filter (where kind = 'cloud_page'), 0)
    from fresh where run_id is not null and units > 0 group by run_id
    on conflict (run_id) do update
    set units = billed_run.units + excluded.units, cloud_units = billed_run.cloud_units + excluded.cloud_units
  )
  insert into ledger.counter (project_id, day, pages, cloud_pages, cloud_cost_usd, model_calls)
  select project_id, day, coalesce(sum(units) filter (where kind = 'page'), 0),
    coalesce(sum(units) filter (where kind = 'cloud_page'), 0), sum(cost_usd),
    coalesce(sum(units) filter (where kind = 'model_call'), 0)
  from fresh where units > 0 group by project_id, day
  on conflict (project_id, day) do update
  set pages = counter.pages + excluded.pages, cloud_pages = counter.cloud_pages + excluded.cloud_pages,
    cloud_cost_usd = counter.cloud_cost_usd + excluded.cloud_cost_usd,
    model_calls = counter.model_calls + excluded.model_calls`

/**
 * The stream that the projection reads, and the tables of schema `ledger` that only it writes. A rebuild starts with
 * these tables empty.
 */
export const ledgerProjection = {
  name: 'ledger',
  stream: streams.usage,
  filter: 'usage.*',
  tables: ['unit', 'counter', 'billed_run'],
} as const

/**
 * Applies messages of USAGE.
 * @throws Unreadable
 */
export const recordUnits: Projection['apply'] = async (client, messages) => {
  const spent = messages.map(message => ({ sequence: message.sequence, ...readSpent(message) }))
  const units = spent.flatMap(unitsOf)
  if (units.length === 0) return
  await client.query(record, [
    units.map(unit => textOf(unit.token)),
    units.map(unit => unit.projectId),
    units.map(unit => unit.kind),
    units.map(unit => unit.day),
    units.map(unit => unit.sequence),
    units.map(unit => unit.runId),
    units.map(unit => unit.pageId),
    units.map(unit => textOf(unit.requestId)),
    units.map(unit => textOf(unit.operation)),
    units.map(({ what }) => what && spentOn(what, servedLimits.whatBytes)),
    units.map(unit => unit.costUsd),
    units.map(unit => unit.units),
    units.map(unit => unit.reason),
    units.map(unit => unit.attempt),
    units.map(unit => unit.at),
    units.map(({ model = null }) => model && textOf(model)),
    units.map(({ inputTokens = null }) => inputTokens),
    units.map(({ outputTokens = null }) => outputTokens),
  ])
  const facts = spent.flatMap(({ billed, waived }) => [...billed, ...waived])
  await drop(client, facts.filter(isLastOfRequest))
}

/** Returns whether units are the last ones of a request, whose reservation then ends. */
const isLastOfRequest = <Fact extends object>(fact: Fact): fact is Extract<Fact, { requestId: string }> =>
  'requestId' in fact && !('more' in fact && fact.more)

type Unit = {
  token: string
  kind: string
  model?: string
  inputTokens?: number
  outputTokens?: number
} & { [name in 'projectId' | 'sequence' | 'costUsd' | 'units']: number } & {
  [name in 'runId' | 'pageId' | 'attempt']: number | null
} & { [name in 'requestId' | 'operation' | 'what' | 'reason']: string | null } & { day: string; at: string }

/** The columns that a unit of a run, or of a request, does not have. */
const blank = {
  ...{ runId: null, pageId: null, attempt: null },
  ...{ requestId: null, operation: null, what: null, costUsd: 0, reason: null },
}

function unitsOf({ sequence, at, billed, waived }: Spent & { sequence: number }): Unit[] {
  const rows = (facts: Spent['billed'] | Spent['waived'], units: 0 | 1) =>
    facts.flatMap(({ units: each, ...fact }) =>
      each.map(unit => ({ ...blank, ...unit, ...fact, units, at, sequence })),
    )
  return [...rows(billed, 1), ...rows(waived, 0)]
}
