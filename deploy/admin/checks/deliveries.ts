/**
 * Checks that every run with a webhook that ended by itself has one delivery decision, in a documented state, and that every
 * page of a run that selects `page.fetched` is in a batch.
 */

import { DeliveryState } from '@tidemark/contracts/delivery'
import { hasTable } from '../../postgres/has-table.ts'
import type { Client } from '../open-instance.ts'
import type { RunHistory } from '../rebuild/run-histories.ts'
import { count, type Findings } from './check.ts'

const ends = new Set<string>(DeliveryState.anyOf.map(({ const: state }) => state))
/** States of deliveries with further attempts. */
const underWay = new Set(['pending'])

/**
 * Returns the faults of deliveries. Runs that ended at or before the sequence `decidedUpTo` of RUNS must have a
 * decision. A webhook that only wants differences may have none, and its decision waits for the comparison.
 */
export async function checkDeliveries(
  client: Client,
  histories: ReadonlyMap<number, RunHistory>,
  decidedUpTo: number,
): Promise<Findings> {
  if (!(await hasTable(client, 'webhook.delivery')))
    return { looked: '', wrong: [], skipped: 'there is no table webhook.delivery' }
  const hasNotices = await hasTable(client, 'webhook.notice')

  // Notices are sent besides the decision about the end.
  const isDecision = hasNotices ? 'not exists (select from webhook.notice where id = d.run_id)' : 'true'
  const { rows } = await client.query<{ run_id: number; state: string }>(
    `select run_id, state from webhook.delivery as d where ${isDecision} order by run_id`,
  )
  const { rows: waiting } = await client.query<{ run_id: number }>(
    'select run_id from webhook.run where waits_until is not null',
  )
  const uncompared = new Set(waiting.map(({ run_id }) => run_id))
  const decisions = Map.groupBy(rows, ({ run_id }) => run_id)
  const announced = hasNotices ? await announcedPages(client) : new Map<number, number>()
  const wrong = [...histories.values()].flatMap(history => {
    const states = (decisions.get(history.runId) ?? []).map(({ state }) => state)
    const isCompared = !uncompared.has(history.runId)
    return [
      ...faultsOf(history, states, isCompared ? decidedUpTo : 0),
      ...faultsOfPages(history, announced.get(history.runId), decidedUpTo),
    ].map(fault => `run ${history.runId}: ${fault}`)
  })
  return { looked: count(rows.length, 'decision'), wrong }
}

function faultsOf(
  { run, deletedWith, endedAt, reopenings }: RunHistory,
  states: string[],
  decidedUpTo: number,
): string[] {
  if (deletedWith !== null) return []
  // While a reopened run is in progress, it has the delivery of its earlier end.
  if (run.status === 'running' && reopenings > 0) return []
  const target = run.status === 'done' || run.status === 'failed' ? run.settings.webhook : undefined
  const decided = count(states.length, 'delivery decision')
  if (states.length > 1) return [decided]
  if (target === undefined) return states.length === 0 ? [] : [`${decided}, but it has no webhook`]
  const isDue = endedAt !== null && endedAt <= decidedUpTo
  const isCertain = run.status === 'failed' || target.events.includes('crawl.done')
  if (isDue && isCertain && states.length === 0) return [`${decided}, though it has a webhook for its end`]
  return states
    .filter(state => !ends.has(state) && !underWay.has(state))
    .map(state => `the state of its delivery, "${state}", is invalid`)
}

/** Returns the number of pages in batches, of runs that select `page.fetched`. */
async function announcedPages(client: Client): Promise<Map<number, number>> {
  const { rows } = await client.query<{ run_id: number; pages: number }>(
    `select run_id, coalesce(pages - json_array_length(waiting), 0)::int as pages
     from webhook.run left join webhook.page_batching using (run_id) where 'page.fetched' = any(notices)`,
  )
  return new Map(rows.map(({ run_id, pages }) => [run_id, pages]))
}

function faultsOfPages(
  { run, deletedWith, endedAt, settled }: RunHistory,
  announced: number | undefined,
  decidedUpTo: number,
): string[] {
  const hasEnded = run.status === 'done' || run.status === 'failed' || run.status === 'cancelled'
  const isDue = hasEnded && endedAt !== null && endedAt <= decidedUpTo
  if (deletedWith !== null || announced === undefined || !isDue || announced === settled) return []
  return [`${count(announced, 'page')} in batches of page.fetched instead of ${settled}`]
}
