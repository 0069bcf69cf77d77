/**
 * Keeps the leases and looks after the runs behind them: those that were just admitted, those whose moment
 * has come, and those that a crash left behind.
 */
import { again } from '@tidemark/bus/again'
import type { Admissions } from '../adapters/admissions.ts'
import type { Leases } from '../adapters/leases.ts'
import type { PageIds } from '../adapters/page-ids.ts'
import type { RunKeeper } from './run-keeper.ts'
import type { Shards } from './shards.ts'

const renewEveryMs = 5_000
const lookEveryMs = 250

type Ports = {
  shards: Shards
  leases: Leases
  ids: PageIds
  admissions: Admissions
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Takes the first shards, then goes on until the signal aborts; `ended` resolves when nothing is under way any more. */
export async function lookAfterShards(ports: Ports): Promise<{ ended: Promise<unknown> }> {
  await renew(ports).catch(ports.report)
  const { signal, report } = ports
  const until = { pausesFirst: true, signal, report }
  const renewing = again(() => renew(ports), { pauseMs: renewEveryMs, ...until })
  const looking = again(async () => lookAfterDue(ports), { pauseMs: lookEveryMs, ...until })
  return { ended: Promise.all([renewing, looking]) }
}

/** Renews, and opens every run that holds a slot in a shard of ours: a lost message delays it until here at most. */
async function renew({ shards, leases, ids, admissions }: Ports): Promise<void> {
  const held = await leases.renew()
  if (shards.own(held).length > 0) ids.drop()
  for (const runId of await admissions.held([...held])) {
    if (shards.kept(runId) === null) look(shards.keeper(runId))
  }
}

function lookAfterDue({ shards }: Ports): void {
  const now = Date.now()
  for (const keeper of shards.keepers()) if (keeper.dueAt() <= now) look(keeper)
}

/** What goes wrong is told by the keeper, who also sees to it that it is looked at again. */
function look(keeper: RunKeeper | null): void {
  keeper?.lookAfter().catch(() => undefined)
}
