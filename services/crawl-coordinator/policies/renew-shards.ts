/**
 * Renews the leases and checks the due runs of the shards: newly admitted ones, those whose time has come, and those
 * that a crash left.
 */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'
import type { Admissions } from '../adapters/admissions.ts'
import type { Leases } from '../adapters/leases.ts'
import type { RunKeeper } from '../handlers/run-keeper.ts'
import type { Shards } from '../handlers/shards.ts'

const renewEveryMs = 3_000
const pollIntervalMs = 250
/** Milliseconds without renewal after which the leases have ended, and other instances may take the shards. */
const unleasedMs = 10_000

type Ports = {
  bus: Pick<Bus, 'nc'>
  shards: Shards
  leases: Leases
  admissions: Admissions
  signal: AbortSignal
  report: (error: unknown) => void
}

/**
 * Takes the first shards, then renews and checks until the signal aborts. `ended` resolves when no work is in
 * progress.
 */
export async function renewShards(ports: Ports): Promise<{ ended: Promise<unknown> }> {
  const { bus, signal, report } = ports
  await renew(ports).catch(report)
  const until = { bus, pausesFirst: true, signal, report }
  const leasing = { name: 'the leasing of shards', cause: 'shards_not_leased', faultyMs: unleasedMs } as const
  const renewing = repeat(() => renew(ports), { ...leasing, pauseMs: renewEveryMs, ...until })
  const looking = repeat(async () => checkDueRuns(ports), {
    name: 'the check of due runs',
    pauseMs: pollIntervalMs,
    ...until,
  })
  return { ended: Promise.all([renewing, looking]) }
}

/** Renews the leases, and opens every run that holds a slot in an owned shard, even if its notification was lost. */
async function renew({ shards, leases, admissions }: Ports): Promise<void> {
  const held = await leases.renew()
  shards.own(held)
  for (const runId of await admissions.held([...held])) {
    if (shards.kept(runId) === null) look(shards.keeper(runId))
  }
}

function checkDueRuns({ shards }: Ports): void {
  const now = performance.now()
  for (const keeper of shards.keepers()) if (keeper.dueAt <= now) look(keeper)
}

/** Checks a run. The keeper reports its errors, and schedules the next check. */
function look(keeper: RunKeeper | null): void {
  keeper?.lookAfter().catch(() => undefined)
}
