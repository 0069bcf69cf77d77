/** Connects to NATS, and restores the connection after every break. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { linkOf } from './link.ts'
import { watchRejectedPublishes } from './requests/rejected-publishes.ts'
import { recordInboxPrefix, serverOf } from './server.ts'
import { measureEventLoopStalls } from './stall.ts'

export type Bus = {
  /** Name of the service that opened it. */
  name: string
  nc: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
  /**
   * Flushes pending messages, drains the subscriptions, and closes. Takes 5 s at most, also while the server is away.
   */
  close(): Promise<void>
}

const firstConnects = 60
const pauseMs = 500
/** Limit for a server that dies between its greeting and the end of the handshake. */
const dialLimitMs = 2_000
const drainLimitMs = 5_000
/**
 * After three pings without a response the connection counts as lost: a server that was cut off closes no connection.
 */
const pingMs = 2_000

/**
 * Connects under a name that the server shows to its operator. Waits half a minute for a server that is not up yet,
 * then throws its error.
 */
export async function openBus({ url, name }: { url: string; name: string }): Promise<Bus> {
  measureEventLoopStalls()
  const nc = await connectPatiently(url, name)
  linkOf(nc)
  void watchRejectedPublishes(nc)
  const js = jetstream(nc)
  const jsm = await jetstreamManager(nc, { checkAPI: false })
  return { name, nc, js, jsm, close: () => close(nc) }
}

async function connectPatiently(url: string, name: string): Promise<NatsConnection> {
  for (let left = firstConnects; ; left--) {
    try {
      const server = serverOf(url)
      const nc = await connect({
        ...server,
        name,
        noAsyncTraces: true,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 100,
        reconnectJitter: 100,
        ignoreAuthErrorAbort: true,
        timeout: dialLimitMs,
        pingInterval: pingMs,
      })
      recordInboxPrefix(nc, server)
      return nc
    } catch (error) {
      if (left <= 1) throw error
      await sleep(pauseMs)
    }
  }
}

async function close(nc: NatsConnection): Promise<void> {
  if (nc.isClosed()) return
  const drained = nc.drain().catch(() => {})
  await Promise.race([drained, sleep(drainLimitMs, undefined, { ref: false })])
  await nc.close()
}
