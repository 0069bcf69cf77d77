/**
 * The shards that this instance owns: for each it takes outcomes and keeps the runs. A shard that is lost is
 * dropped with its folds; its outcomes go back to the queue for the new owner.
 */

import { jsonParser } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { consume } from '@tidemark/bus/consume'
import { ack, giveUp, nak, type Verdict } from '@tidemark/bus/verdict'
import { shards as allShards, consumers, shardOf, streams } from '@tidemark/contracts/subjects'
import { type Outcome, Outcomes } from '@tidemark/contracts/work/outcome'
import type { Sharer } from '../domain/window.ts'
import { sharedRoom } from '../turns/shared-room.ts'
import { endedRuns } from './ended-runs.ts'
import { Undecidable } from './held-run.ts'
import type { Ports as KeeperPorts, RunKeeper } from './run-keeper.ts'
import { runKeeper } from './run-keeper.ts'

type Owned = { stop: AbortController; keepers: Map<number, RunKeeper>; consuming: Promise<void> }
type Ports = Omit<KeeperPorts, 'ended' | 'unknown' | 'window'> & {
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
  keepers(): Iterable<RunKeeper>
  close(): Promise<void>
}

const readOutcomes = jsonParser(Outcomes)
/** What cannot be settled as often as this, each time upon the run as it is stored, never will be. */
const mostTries = 3
const nakMs = 1_000

export function ownedShards(ports: Ports): Shards {
  const owned = new Map<string, Owned>()
  const ended = endedRuns(ports)
  const window = sharedRoom(ports.room, sharers)

  function take(shard: string): void {
    const stop = new AbortController()
    const keepers = new Map<number, RunKeeper>()
    const consuming = consume<Outcomes>(ports.bus, {
      stream: streams.outcomes,
      consumer: consumers.coordinator(shard),
      parse: readOutcomes,
      handle: ({ outcomes }, { attempt }) => settle(outcomes, attempt),
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

  async function settle(outcomes: Outcome[], attempt: number): Promise<Verdict> {
    const byRun = Map.groupBy(outcomes, ({ runId }) => runId)
    const settled = await Promise.allSettled([...byRun].map(([runId, ofRun]) => settleOfRun(runId, ofRun)))
    const faults = settled.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    if (faults.length === 0) return ack
    const isFinal = attempt >= mostTries && faults.every(fault => fault instanceof Undecidable)
    return isFinal ? giveUp(String(faults[0])) : nak(nakMs)
  }

  /** What comes late for a run that has ended is nobody's any more, and the run is not read for it. */
  async function settleOfRun(runId: number, outcomes: Outcome[]): Promise<void> {
    if (ended.has(runId) || (keptOf(runId) === null && (await ended.isOver(runId)))) return
    const keeper = keeperOf(runId)
    if (keeper === null) throw new Error('Not owned.')
    await keeper.settle(outcomes)
  }

  const keptOf = (runId: number): RunKeeper | null => owned.get(shardOf(runId))?.keepers.get(runId) ?? null

  function keeperOf(runId: number): RunKeeper | null {
    const shard = owned.get(shardOf(runId))
    if (!shard) return null
    const known = shard.keepers.get(runId)
    if (known) return known
    const over: KeeperPorts['ended'] = async (runId, ...how) => {
      ended.add(runId)
      await ports.released(runId, ...how)
      shard.keepers.delete(runId)
    }
    // Whoever looks for runs without a keeper finds it once it is there.
    const unknown = (runId: number) => void shard.keepers.delete(runId)
    const keeper = runKeeper(runId, { ...ports, window, ended: over, unknown }, shard.stop.signal)
    shard.keepers.set(runId, keeper)
    return keeper
  }

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
    kept: keptOf,
    keepers,
    async close() {
      await Promise.all([...owned.keys()].map(drop))
    },
  }
}
