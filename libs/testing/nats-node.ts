/**
 * One nats-server of a cluster for tests. It can be killed, halted and restarted, and reports its streams and
 * leaderships.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { run } from './servers.ts'
import { until } from './until.ts'

export type ClusterNode = {
  name: string
  /** URL of this server alone. */
  url: string
  pid: number | null
  /** Sends SIGKILL and waits for the end. Its folder and ports stay. */
  kill(): Promise<void>
  start(): void
  /** Sends SIGSTOP and waits until it has stopped: it neither receives nor sends, and its connections stay open. */
  halt(): Promise<void>
  resume(): void
  /** Returns its state, or null if the server does not respond or does not know all servers of the cluster. */
  look(): Promise<Seen | null>
}

/**
 * The state of a server. `keeps`: the names of its streams and consumers. `leads`: the streams and consumers that it
 * leads, each with whether all replicas are in sync. `isHealthy`: the server is in sync with the leaders of all others.
 */
type Seen = { name: string; isHealthy: boolean; keeps: Set<string>; leads: Map<string, boolean> }

export type NodeEndpoint = { host: string; port: number; cluster: number; monitor: number }

/** Number of servers in a cluster. */
export const size = 3

type Known = { name: string; url: string; endpoint: NodeEndpoint; command: string[]; log: string }

/** Returns a node that has not started yet. */
export function nodeOf({ name, url, endpoint: { host, monitor }, command, log }: Known): ClusterNode {
  let child: ChildProcess | null = null
  const signal = (signal: NodeJS.Signals) => void child?.kill(signal)
  return {
    name,
    url,
    get pid() {
      return child?.pid ?? null
    },
    start() {
      child ??= run([...command, '-l', log])
    },
    async kill() {
      const ending = child
      child = null
      if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return
      const ended = once(ending, 'exit')
      ending.kill('SIGKILL')
      await ended
    },
    async halt() {
      signal('SIGSTOP')
      await until(() => child?.pid === undefined || isStopped(child.pid))
    },
    resume: () => signal('SIGCONT'),
    async look() {
      const fetchJson = async (path: string) => {
        const answer = await fetch(`http://${host}:${monitor}/${path}`, {
          signal: AbortSignal.timeout(2_000),
        })
        return answer.ok ? answer.json() : null
      }
      const health = await fetchJson('healthz').catch(() => null)
      const jsz = await fetchJson('jsz?accounts=true&streams=true&consumers=true').catch(() => null)
      return jsz ? seenIn(name, health !== null, jsz as Jsz) : null
    },
  }
}

/** Returns whether every thread of a process is stopped. On a busy processor the threads stop one after the other. */
const isStopped = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every(thread =>
    /^State:\s+T/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')),
  )

type Group = { leader?: string; replicas?: { current: boolean; offline?: boolean }[] | null }
type Kept = { name: string; cluster?: Group }
type Jsz = {
  meta_cluster?: Group & { cluster_size?: number }
  account_details?: { stream_detail?: (Kept & { consumer_detail?: Kept[] })[] }[]
}

function seenIn(name: string, isHealthy: boolean, { meta_cluster, account_details = [] }: Jsz): Seen | null {
  // All servers also replicate the list of servers.
  if (meta_cluster?.cluster_size !== size) return null
  const meta = { name: 'meta', cluster: { replicas: [], ...meta_cluster } }
  if (meta_cluster.leader === name && meta.cluster.replicas?.length !== size - 1) return null
  const ofAccounts = account_details.flatMap(({ stream_detail = [] }) =>
    stream_detail.flatMap(stream => [
      stream,
      ...(stream.consumer_detail ?? []).map(consumer => ({
        ...consumer,
        name: `${stream.name}/${consumer.name}`,
      })),
    ]),
  )
  const all = [meta, ...ofAccounts]
  const led = all.filter(({ cluster }) => cluster?.leader === name)
  const isSynced = ({ cluster }: Kept): boolean =>
    (cluster?.replicas ?? []).every(({ current, offline = false }) => current && !offline)
  return {
    name,
    isHealthy,
    keeps: new Set(all.map(kept => kept.name)),
    leads: new Map(led.map(kept => [kept.name, isSynced(kept)])),
  }
}
