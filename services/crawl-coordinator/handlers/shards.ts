/**
 * Serves the shards of this instance: receives the outcomes and keeps the runs of each. A lost shard is dropped with
 * its runs, and its outcomes return to the queue for the new owner.
 */
import { jsonParser } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { consume } from '@tidemark/bus/consume'
import { ack, deadLetter, nak, type Verdict } from '@tidemark/bus/verdict'
import { shards as allShards, consumers, shardOf, streams } from '@tidemark/contracts/subjects'
import { type Outcome, Outcomes } from '@tidemark/contracts/work/outcome'
import { orderShare } from '../concurrency/order-share.ts'
import type { Sharer } from '../domain/window.ts'
import { type EndedRuns, endedRuns } from './ended-runs.ts'
import { Undecidable } from './held-run.ts'
import { type Ports as KeeperPorts, RunKeeper } from './run-keeper.ts'

type Owned = { stop: AbortController; keepers: Map<number, RunKeeper>; consuming: Promise<void> }
type Ports = Omit<KeeperPorts, 'ended' | 'unknown' | 'window'> & {
  bus: Bus
  /** Maximum number of orders in flight of all runs of this instance. */
  maxOrdersOut: number
  released: KeeperPorts['ended']
  /** Stores the sessions among the outcomes of a run, before their decision. */
  keepSessions: (runId: number, outcomes: readonly Outcome[]) => Promise<void>
}

const readOutcomes = jsonParser(Outcomes)
/** Maximum tries to settle outcomes. Each reads the run again, so further tries would not help. */
const maxTries = 3
const nakMs = 1_000

export class Shards {
  readonly #ports: Ports
  readonly #owned = new Map<string, Owned>()
  readonly #ended: EndedRuns
  readonly #window: KeeperPorts['window']

  constructor(ports: Ports) {
    this.#ports = ports
    this.#ended = endedRuns(ports)
    this.#window = orderShare(ports.maxOrdersOut, () => this.#sharers())
  }

  /** Opens newly owned shards, and drops shards that other instances own now. */
  own(shards: Set<number>): void {
    const names = new Set([...shards].map(n => allShards[n] ?? ''))
    for (const shard of this.#owned.keys()) if (!names.has(shard)) void this.#drop(shard)
    for (const shard of names) if (!this.#owned.has(shard)) this.#take(shard)
  }

  /** Returns the keeper of a run, or null if it is not open. */
  kept(runId: number): RunKeeper | null {
    return this.#owned.get(shardOf(runId))?.keepers.get(runId) ?? null
  }

  /** Returns the keeper of a run, and creates it if necessary. Null if another instance owns the shard. */
  keeper(runId: number): RunKeeper | null {
    const shard = this.#owned.get(shardOf(runId))
    if (!shard) return null
    const known = shard.keepers.get(runId)
    if (known) return known
    const ended: KeeperPorts['ended'] = async (runId, ...how) => {
      this.#ended.add(runId)
      await this.#ports.released(runId, ...how)
      shard.keepers.delete(runId)
    }
    // The check of admitted runs finds this one once its stream has it.
    const unknown = (runId: number) => void shard.keepers.delete(runId)
    const ports = { ...this.#ports, window: this.#window, ended, unknown }
    const keeper = new RunKeeper(runId, ports, shard.stop.signal)
    shard.keepers.set(runId, keeper)
    return keeper
  }

  *keepers(): Iterable<RunKeeper> {
    for (const { keepers } of this.#owned.values()) yield* keepers.values()
  }

  async close(): Promise<void> {
    const keepers = [...this.keepers()]
    await Promise.all([...this.#owned.keys()].map(shard => this.#drop(shard)))
    // Each call waits until a command in progress, which may still append, has ended. Then it rejects.
    await Promise.all(keepers.map(keeper => keeper.look(() => {}).catch(() => {})))
  }

  *#sharers(): Iterable<Sharer> {
    for (const { sharer } of this.keepers()) if (sharer !== null) yield sharer
  }

  #take(shard: string): void {
    const { bus, report } = this.#ports
    // Another owner may have reopened an ended run of this shard.
    this.#ended.forget(shard)
    const stop = new AbortController()
    const consuming = consume<Outcomes>(bus, {
      stream: streams.outcomes,
      consumer: consumers.coordinator(shard),
      parse: readOutcomes,
      handle: ({ outcomes }, { attempt }) => this.#settle(outcomes, attempt),
      concurrency: 64,
      signal: stop.signal,
      report,
    })
    this.#owned.set(shard, { stop, keepers: new Map(), consuming })
  }

  #drop(shard: string): Promise<void> | undefined {
    const { stop, consuming } = this.#owned.get(shard) ?? {}
    this.#owned.delete(shard)
    stop?.abort()
    return consuming
  }

  async #settle(outcomes: Outcome[], attempt: number): Promise<Verdict> {
    const byRun = Map.groupBy(outcomes, ({ runId }) => runId)
    const settling = [...byRun].map(([runId, ofRun]) => this.#settleOfRun(runId, ofRun))
    const settled = await Promise.allSettled(settling)
    const faults = settled.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    if (faults.length === 0) return ack
    const isFinal = attempt >= maxTries && faults.every(fault => fault instanceof Undecidable)
    return isFinal ? deadLetter(String(faults[0])) : nak(nakMs)
  }

  /** Settles outcomes of one run. Late outcomes of an ended run are discarded without reading the run. */
  async #settleOfRun(runId: number, outcomes: Outcome[]): Promise<void> {
    if (this.kept(runId) === null && (this.#ended.has(runId) || (await this.#ended.isOver(runId)))) return
    const keeper = this.keeper(runId)
    if (keeper === null) throw new Error('Not owned.')
    await this.#ports.keepSessions(runId, outcomes)
    await keeper.settle(outcomes)
  }
}
