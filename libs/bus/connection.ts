/**
 * The connection to NATS: opened once a process, and back by itself after every break for as long as the
 * process lives.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { linkOf } from './link.ts'
import { noteInboxes, serverOf } from './server.ts'

export type Bus = {
  /** Of whoever opened it: a service. */
  name: string
  nc: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
  /** Sends what is waiting, lets subscriptions finish, and closes; within 5 s also when the server is away. */
  close(): Promise<void>
}

const firstConnects = 60
const pauseMs = 500
/** A server that dies between its greeting and the end of the handshake is waited for until then. */
const dialLimitMs = 2_000
const drainLimitMs = 5_000
/** Of three pings without an answer the server is taken for gone: one that was cut off closes no connection. */
const pingMs = 2_000

/**
 * Connects under a name that the server shows to its operator. A server that is not there yet is waited
 * for, for half a minute; after that its error is thrown.
 */
export async function openBus({ url, name }: { url: string; name: string }): Promise<Bus> {
  const nc = await connectPatiently(url, name)
  linkOf(nc)
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
      noteInboxes(nc, server)
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
