/**
 * Checks the invariants at one moment: rows come from one snapshot of the database, and each stream is read up to the
 * sequence that the rows of the snapshot have reached. So concurrent work of a running instance is never reported.
 */

import type { StreamMessage } from '@tidemark/bus/read'
import { streams } from '@tidemark/contracts/subjects'
import { inTransaction } from '@tidemark/db/transaction'
import { replayAll } from './archives.ts'
import { billedTotals } from './billed-totals.ts'
import { checkBatches } from './checks/batches.ts'
import { checkBodies, checkOwners } from './checks/bodies.ts'
import type { Findings } from './checks/check.ts'
import { checkCheckpoints } from './checks/checkpoints.ts'
import { checkCoverage } from './checks/coverage.ts'
import { checkDeliveries } from './checks/deliveries.ts'
import { checkExports } from './checks/exports.ts'
import { checkBills, checkLedger, checkRequests } from './checks/ledger.ts'
import { checkObjects } from './checks/objects.ts'
import { checkPages } from './checks/pages.ts'
import { checkReadModel } from './checks/read-model.ts'
import { checkSlots } from './checks/slots.ts'
import { untilCaughtUp } from './followers.ts'
import type { Client, OpenInstance } from './open-instance.ts'
import { positionOf, type ReaderPosition, readPositions, streamEnds } from './reader-positions.ts'
import { lastSequence, replay } from './rebuild/replay.ts'
import { runHistories } from './rebuild/run-histories.ts'
import { seenTokens } from './seen-tokens.ts'
import { servedRequests } from './served-requests.ts'

export type Check = {
  name: string
  ok: boolean
  looked: string
  /** The first 50 faults; `more` is the number of the others. */
  details: string[]
  more: number
  skipped?: string
}

const maxDetails = 50
const runsFilter = 'runs.*.*.crawl'
const usageFilter = 'usage.*'
const servedFilter = 'served.*'

/** Checks a running instance. Throws errors of bus and database. */
export const checkInvariants = async (instance: OpenInstance): Promise<Check[]> =>
  check(instance, await untilCaughtUp(instance))

/**
 * Checks servers that no service uses. Readers that have not reached the end of a stream continue at the next start, and
 * a sweep corrects slots, so neither is a fault there.
 */
export async function checkAtRest(instance: OpenInstance): Promise<Check[]> {
  const checks = await check(instance, [])
  return checks.map(found => (found.name === 'slots' ? { ...found, ...atRest } : found))
}

const atRest = { ok: true, details: [], more: 0, skipped: 'corrected after the next start' }

function check(instance: OpenInstance, late: readonly string[]): Promise<Check[]> {
  return inTransaction(instance.pool, async client => {
    await client.query('set transaction isolation level repeatable read, read only')
    const positions = await readPositions(client)
    const held = await slotsHeld(client)
    const histories = runHistories(positionOf(positions, 'ledger', 'bill-runs'), await reopenedRuns(client))
    const served = servedRequests(positionOf(positions, 'ledger', 'bill-requests'))
    await using seen = await seenTokens(instance)
    const spent = billedTotals(seen.countFresh)

    const upTo = positionOf(positions, 'read', 'runs')
    const sofar = { stream: streams.runs, filter: runsFilter, to: upTo }
    await replayAll(instance, sofar, async messages => histories.take(messages))
    const pages = await checkPages(client, histories.runs)
    const objects = await checkObjects(client, instance.pool)
    const bodies = await checkBodies(client, histories.runs, objects)

    const ledgerUpTo = positionOf(positions, 'ledger', 'ledger')
    const usage = { stream: streams.usage, filter: usageFilter }
    await readOn(instance, spent, { ...usage, from: 1, to: ledgerUpTo })
    const ledger = await checkLedger(client, spent)
    await readOn(instance, spent, { ...usage, from: ledgerUpTo + 1 })
    await readOn(instance, histories, { stream: streams.runs, filter: runsFilter, from: upTo + 1 })
    await readOn(instance, served, { stream: streams.served, filter: servedFilter, from: 1 })
    const { state } = await instance.bus.jsm.streams.info(streams.served)

    const { runs } = histories
    const ownerless = await checkOwners(client, runs)
    const coverage = checkCoverage(runs.values())
    const checkpoints = await checkCheckpoints(instance.bus, positions, await streamEnds(instance.bus))
    return [
      verdict('coverage', { ...coverage, wrong: [...histories.illegible, ...coverage.wrong] }),
      verdict('pages', pages),
      verdict('ledger', {
        ...ledger,
        wrong: [
          ...[...spent.illegible, ...served.illegible, ...ledger.wrong],
          ...checkBills(runs, spent),
          ...checkRequests(served.requests, spent, state.first_seq),
        ],
      }),
      verdict('deliveries', await checkDeliveries(client, runs, decidedUpTo(positions))),
      verdict('read model', await checkReadModel(instance, client, positions)),
      verdict('checkpoints', { ...checkpoints, wrong: [...checkpoints.wrong, ...late] }),
      verdict('slots', checkSlots(runs, held, await slotsHeld(instance.pool))),
      verdict('bodies', { ...bodies, wrong: [...bodies.wrong, ...ownerless] }),
      verdict('exports', await checkExports(client)),
      verdict('batches', await checkBatches(client)),
    ]
  })
}

function verdict(name: string, { looked, wrong, skipped }: Findings): Check {
  const more = Math.max(0, wrong.length - maxDetails)
  const details = wrong.slice(0, maxDetails)
  return { name, ok: wrong.length === 0, looked, details, more, ...(skipped !== undefined && { skipped }) }
}

type Taking = { take(messages: readonly StreamMessage[]): void | Promise<void> }
/** Both sequences are inclusive. Without `to` the range extends to the end of the stream. */
type Range = { stream: string; filter: string; from: number; to?: number }

async function readOn({ bus }: OpenInstance, taking: Taking, { to, ...range }: Range): Promise<void> {
  const end = to ?? (await lastSequence(bus, range.stream, range.filter))
  await replay(bus, { ...range, to: end }, async messages => taking.take(messages))
}

/** Returns the runs that were ever reopened. One that is reopened later is read completely at the second check. */
async function reopenedRuns(client: Pick<Client, 'query'>): Promise<Set<number>> {
  // Read as JSON, because the database of an earlier version has no such column.
  const { rows } = await client.query<{ run_id: number }>(
    `select run_id from coordinator.admission where (to_json(admission) ->> 'reopenings')::integer > 0`,
  )
  return new Set(rows.map(({ run_id }) => run_id))
}

async function slotsHeld(client: Pick<Client, 'query'>): Promise<Set<number>> {
  const { rows } = await client.query<{ run_id: number }>(
    'select run_id from coordinator.admission where released_at is null',
  )
  return new Set(rows.map(({ run_id }) => run_id))
}

/** Returns the lowest sequence of RUNS that a reader of the webhook service has reached. */
function decidedUpTo(positions: readonly ReaderPosition[]): number {
  const own = positions.filter(({ schema, stream }) => schema === 'webhook' && stream === streams.runs)
  return own.length === 0 ? 0 : Math.min(...own.map(({ sequence }) => sequence))
}
