/**
 * The shards that this instance owns: for each it takes outcomes and keeps the runs. A shard that is lost is
 * dropped with its folds; its outcomes go back to the queue for the new owner.
 */

import { jsonParser } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { consume } from '@tidemark/bus/consume'
import { ack, nak, type Verdict } from '@tidemark/bus/verdict'
import { shards as allShards, consumers, shardOf, streams } from '@tidemark/contracts/subjects'
import { type Outcome, Outcomes } from '@tidemark/contracts/work/outcome'
import { type Sharer, windowOf } from '../domain/window.ts'
import type { Ports as KeeperPorts, RunKeeper } from './run-keeper.ts'
import { runKeeper } from './run-keeper.ts'

type Owned = { stop: AbortController; keepers: Map<number, RunKeeper>; consuming: Promise<void> }
type Ports = Omit<KeeperPorts, 'ended' | 'window'> & {
  bus: Bus
  /** Orders that all runs looked after here may have out together. */
  room: number
  released: KeeperPorts['ended']
}

export type Shards = {
  /** Takes up newly owned shards and drops those no longer owned; gives the new ones. */
  own(shards: Set<number>): number[]
  /** The keeper of a run, or null when another instance owns its shard. */
  keeper(runId: number): RunKeeper | null
  /** The keeper of a run that is looked after here, or null: asking for it opens none. */
  kept(runId: number): RunKeeper | null
  /** Whether a run of ours is already looked after. */
  keeps(runId: number): boolean
  keepers(): Iterable<RunKeeper>
  close(): Promise<void>
}

const readOutcomes = jsonParser(Outcomes)

export function ownedShards(ports: Ports): Shards {
  const owned = new Map<string, Owned>()

  function take(shard: string): void {
    const stop = new AbortController()
    const keepers = new Map<number, RunKeeper>()
    const consuming = consume<Outcomes>(ports.bus, {
      stream: streams.outcomes,
      consumer: consumers.coordinator(shard),
      parse: readOutcomes,
      handle: ({ outcomes }) => settle(outcomes),
      concurrency: 64,
      signal: stop.signal,
      report: ports.report,
    })
    owned.set(shard, { stop, keepers, consuming })
  }

  function drop(shard: string): Promise<void> | undefined {
    const { stop, consuming } = owned.get(shard) ?? {}
    owned.delete(shard)
    stop?.abort()
    return consuming
  }

  async function settle(outcomes: Outcome[]): Promise<Verdict> {
    const byRun = Map.groupBy(outcomes, ({ runId }) => runId)
    const settled = await Promise.allSettled(
      [...byRun].map(
        ([runId, ofRun]) => keeperOf(runId)?.settle(ofRun) ?? Promise.reject(new Error('Not owned.')),
      ),
    )
    return settled.every(({ status }) => status === 'fulfilled') ? ack : nak(1_000)
  }

  function keeperOf(runId: number): RunKeeper | null {
    const shard = owned.get(shardOf(runId))
    if (!shard) return null
    const known = shard.keepers.get(runId)
    if (known) return known
    const ended: KeeperPorts['ended'] = async (runId, ...how) => {
      await ports.released(runId, ...how)
      shard.keepers.delete(runId)
    }
    const keeper = runKeeper(runId, { ...ports, window, ended }, shard.stop.signal)
    shard.keepers.set(runId, keeper)
    return keeper
  }

  const window = (run: Sharer): number => windowOf(run, sharers(), ports.room)

  function* sharers(): Iterable<Sharer> {
    for (const keeper of keepers()) {
      const sharer = keeper.sharer()
      if (sharer !== null) yield sharer
    }
  }

  function* keepers(): Iterable<RunKeeper> {
    for (const { keepers } of owned.values()) yield* keepers.values()
  }

  return {
    own(wanted) {
      const names = new Set([...wanted].map(n => allShards[n] ?? ''))
      for (const shard of owned.keys()) if (!names.has(shard)) void drop(shard)
      const gained = [...names].filter(shard => !owned.has(shard))
      for (const shard of gained) take(shard)
      return gained.map(Number)
    },
    keeper: keeperOf,
    kept: runId => owned.get(shardOf(runId))?.keepers.get(runId) ?? null,
    keeps: runId => owned.get(shardOf(runId))?.keepers.has(runId) ?? false,
    keepers,
    async close() {
      await Promise.all([...owned.keys()].map(drop))
    },
  }
}
