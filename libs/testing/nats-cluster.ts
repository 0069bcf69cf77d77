/**
 * A cluster of three nats-servers for tests. Each can be killed, halted and restarted. One of them can be disconnected
 * from all others if the machine permits network namespaces.
 */
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { openBus } from '@tidemark/bus/connection'
import { freePorts } from '@tidemark/config/free-ports'
import { type ClusterNode, type NodeEndpoint, nodeOf, size } from './nats-node.ts'
import { ownNetwork } from './own-network.ts'
import { until } from './until.ts'

export type NatsCluster = {
  /** URLs of all servers, separated by commas. */
  url: string
  nodes: readonly ClusterNode[]
  /** Resolves when all servers run and their streams are in sync; rejects after a minute. */
  untilWhole(limitMs?: number): Promise<void>
  /** The network link of the last node, or why it cannot be cut. */
  wire: { node: ClusterNode; cut(): Promise<void>; mend(): Promise<void> } | { missing: string }
  stop(): Promise<void>
}

type Options = {
  program: string
  /** Text that is added to the configuration of each server. */
  more?: string
  /** The user of the URLs. */
  user?: { user: string; pass: string }
  /** Whether the last node has its own network. */
  hasWire?: boolean
}

/**
 * Occasionally, on a busy machine, three servers that start together choose a leader that cannot place streams on the
 * third.
 */
const starts = 3
const startMs = 20_000

/** Resolves when the cluster has a leader and all three servers are available. */
export async function natsCluster({
  program,
  more = '',
  user,
  hasWire = false,
}: Options): Promise<NatsCluster> {
  const dir = await fs.mkdtemp(path.join(os.tmpdir(), 'tidemark-nats-cluster-'))
  const network = hasWire ? await ownNetwork() : { missing: 'not requested' }
  const isApart = (n: number) => !('missing' in network) && n === size - 1
  const endpoints: NodeEndpoint[] = []
  for (let n = 0; n < size; n++) {
    const host = 'missing' in network ? '127.0.0.1' : isApart(n) ? network.inside : network.outside
    const [port = 0, cluster = 0, monitor = 0] = await freePorts(3, isApart(n) ? '127.0.0.1' : host)
    endpoints.push({ host, port, cluster, monitor })
  }
  const credentials = user ? `${user.user}:${user.pass}@` : ''
  const hosts = endpoints.map(({ host, port }) => `${host}:${port}`)
  const routes = endpoints.map(({ host, cluster }) => `nats://${host}:${cluster}`)
  const nodes = await Promise.all(
    endpoints.map(async (endpoint, n) => {
      const name = `node-${n + 1}`
      const file = path.join(dir, `${name}.conf`)
      await fs.writeFile(file, configuration(name, path.join(dir, name), endpoint, routes) + more, {
        mode: 0o600,
      })
      const within = 'missing' in network || !isApart(n) ? [] : network.within
      const log = path.join(dir, `${name}.log`)
      return nodeOf({
        name,
        url: `nats://${credentials}${hosts[n]}`,
        endpoint,
        log,
        command: [...within, program, '-c', file],
      })
    }),
  )
  const killAll = () => {
    for (const { pid } of nodes) if (pid !== null) process.kill(pid, 'SIGKILL')
    if (!('missing' in network)) network.remove()
  }
  process.once('exit', killAll)
  const cluster: NatsCluster = {
    url: `nats://${credentials}${hosts.join(',')}`,
    nodes,
    untilWhole: limitMs => untilWhole(nodes, limitMs),
    wire:
      'missing' in network
        ? network
        : { node: nodes[size - 1] as ClusterNode, cut: network.cut, mend: network.mend },
    async stop() {
      await Promise.all(nodes.map(node => node.kill()))
      process.removeListener('exit', killAll)
      if (!('missing' in network)) network.remove()
      await fs.rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    },
  }
  for (let left = starts; ; left--) {
    for (const node of nodes) node.start()
    try {
      await cluster.untilWhole(startMs)
      await until(() => keepsByAll(cluster.url), startMs)
      return cluster
    } catch (error) {
      await Promise.all(nodes.map(node => node.kill()))
      for (const { name } of nodes) await fs.rm(path.join(dir, name), { recursive: true, force: true })
      if (left > 1) continue
      await cluster.stop()
      throw error
    }
  }
}

/**
 * Returns whether a stream can be placed on all servers. The leader may know a server before it knows the capacity of
 * that server.
 */
async function keepsByAll(url: string): Promise<boolean> {
  const bus = await openBus({ url, name: 'probe' })
  const probe = { name: 'PROBE', subjects: ['probe'], num_replicas: size, max_bytes: 1024 ** 2 }
  try {
    await bus.jsm.streams.add(probe)
    return await bus.jsm.streams.delete(probe.name)
  } catch {
    return false
  } finally {
    await bus.close()
  }
}

const configuration = (
  name: string,
  dir: string,
  { host, port, cluster, monitor }: NodeEndpoint,
  routes: string[],
) => `
listen: ${host}:${port}
http: ${host}:${monitor}
server_name: ${name}
max_payload: 8MB
max_pending: 64MB
ping_interval: "2s"
ping_max: 2
jetstream { store_dir: ${JSON.stringify(dir)}, sync_interval: always, max_file_store: 24GB }
cluster { name: tidemark, listen: ${host}:${cluster}, routes: ${JSON.stringify(routes)} }
`

/**
 * Resolves when each server has been healthy at least once since the call, and each stream and consumer has a leader
 * under which it has been in sync on all servers. Under load they are hardly ever all in sync at the same moment,
 * because a message reaches the servers one after the other.
 */
async function untilWhole(nodes: readonly ClusterNode[], limitMs?: number): Promise<void> {
  const healthy = new Set<string>()
  /** The leader under which each stream or consumer was in sync. */
  const synced = new Map<string, string>()
  let missing: string[] = []
  const isWhole = async () => {
    const seen = (await Promise.all(nodes.map(node => node.look()))).filter(one => one !== null)
    const led = new Set<string>()
    for (const { name, isHealthy, leads } of seen) {
      if (isHealthy) healthy.add(name)
      for (const [group, isSynced] of leads) {
        if (isSynced) synced.set(group, name)
        if (synced.get(group) === name) led.add(group)
      }
    }
    const unhealthy = nodes.map(({ name }) => name).filter(name => !healthy.has(name))
    missing = [...unhealthy, ...new Set(seen.flatMap(({ keeps }) => [...keeps])).difference(led)]
    return seen.length === nodes.length && missing.length === 0
  }
  await until(isWhole, limitMs).catch(error => {
    throw new Error(`not in sync: ${missing.slice(0, maxNamed).join(', ')}`, { cause: error })
  })
}
const maxNamed = 10
