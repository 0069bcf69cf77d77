/** The faults, as a table: each finds its victims in run.json and returns them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsCluster } from '@tidemark/testing/nats-cluster'
import type { ClusterNode } from '@tidemark/testing/nats-node'
import { responds } from '../../deploy/local/probe.ts'
import type { RunFile } from '../../deploy/local/run-file.ts'
import { dice, pick } from './random.ts'
import type { ChaosSystem } from './system.ts'

export type FaultName = 'kills' | 'nats' | 'postgres' | 'redis' | 'all' | 'nodes' | 'cuts'
export type FaultCounts = Record<FaultName, number>
/** A fault that has struck. `at` is its time; absent: it struck just now. */
export type Hit = { target: string; pids: number[]; at?: number }
/** A fault that strikes when this share of the pages has been fetched, 0 to 1. */
export type PlannedFault = { fault: FaultName; at: number }

type Context = { earlier: string[]; cluster: NatsCluster | null }
/** `earlier`: the targets of earlier faults. */
type Strike = (run: RunFile, chance: number, context: Context) => Hit | null | Promise<Hit | null>

/** Each returns null when the victim is down at the moment. */
const strikes: Record<FaultName, Strike> = {
  /** Kills each service once before it kills any of them twice. */
  kills: ({ processes }, chance, { earlier }) => {
    const hits = ({ name }: { name: string }) => earlier.filter(target => target === name).length
    const alive = processes.filter(({ pid }) => pid !== null)
    const min = Math.min(...alive.map(hits))
    const victim = pick(
      chance,
      alive.filter(process => hits(process) === min),
    )
    return victim ? kill(victim.name, [victim.pid], 'SIGKILL') : null
  },
  nats: ({ nats }) => kill('nats', [nats.pid], 'SIGKILL'),
  /** An immediate shutdown: Postgres loses its memory and replays its log. */
  postgres: ({ postgres }) => kill('postgres', [postgres.pid], 'SIGQUIT'),
  async redis({ redis }, chance) {
    const isFlushed = await responds(Number(new URL(redis.url).port), flush, 2_000)
    if (!isFlushed) return null
    return chance < 0.5 ? { target: 'redis (flushed)', pids: [] } : kill('redis', [redis.pid], 'SIGKILL')
  },
  /** Kills everything. The caller starts it again. */
  all: ({ pid, postgres, nats, redis, processes }) => {
    const servers = [postgres.pid, nats.pid, redis.pid]
    return kill('everything', [...processes.map(({ pid }) => pid), ...servers, pid], 'SIGKILL')
  },
  /**
   * One server at a time, because two of the three copies of a stream must be available. Each server once before any of
   * them twice.
   */
  async nodes(_run, chance, { earlier, cluster }) {
    await cluster?.untilWhole()
    const hits = ({ name }: ClusterNode) => earlier.filter(target => target === name).length
    const alive = (cluster?.nodes ?? []).filter(({ pid }) => pid !== null)
    const min = Math.min(...alive.map(hits))
    const victim = pick(
      chance,
      alive.filter(node => hits(node) === min),
    )
    if (victim?.pid == null) return null
    const hit = { target: victim.name, pids: [victim.pid], at: Date.now() }
    await victim.kill()
    await sleep(minDownMs + chance * (maxDownMs - minDownMs))
    victim.start()
    return hit
  },
  async cuts(_run, _chance, { cluster }) {
    if (cluster === null || 'missing' in cluster.wire) return null
    await cluster.untilWhole()
    const hit = { target: `${cluster.wire.node.name} (cut off)`, pids: [], at: Date.now() }
    await cluster.wire.cut()
    await sleep(cutMs)
    await cluster.wire.mend()
    return hit
  },
}
/** How long a killed server of the cluster stays down. */
const [minDownMs, maxDownMs] = [200, 3_000]
const cutMs = 15_000

const flush = { request: 'FLUSHALL\r\n', answer: /^\+OK/ }
const betweenTriesMs = 50
const earliest = 0.05
const latest = 0.9

/**
 * Plans the faults at random moments of the crawl. Two may be close, so that one strikes during the recovery from the
 * other.
 */
export function planFaults(counts: FaultCounts, seed: number): PlannedFault[] {
  const chance = dice(seed)
  return (Object.keys(strikes) as FaultName[])
    .flatMap(fault => Array.from({ length: counts[fault] }, () => fault))
    .map(fault => ({ fault, at: earliest + chance() * (latest - earliest) }))
    .sort((one, other) => one.at - other.at)
}

/** Strikes as soon as there is a victim. Returns null if the signal aborts before. */
export async function strike(
  fault: FaultName,
  system: ChaosSystem,
  { chance, earlier }: { chance: number; earlier: string[] },
  signal: AbortSignal,
): Promise<Hit | null> {
  while (!signal.aborted) {
    const run = system.runFile()
    const hit = run && (await strikes[fault](run, chance, { earlier, cluster: system.cluster }))
    if (hit !== null) return hit
    await sleep(betweenTriesMs)
  }
  return null
}

function kill(target: string, pids: (number | null)[], signal: NodeJS.Signals): Hit | null {
  const hit = pids.filter(pid => pid !== null && signalled(pid, signal)) as number[]
  return hit.length > 0 ? { target, pids: hit } : null
}

function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false // it has exited
  }
}
