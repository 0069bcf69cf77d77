/**
 * Detects a NATS server that hangs. It keeps its connections for seconds, so it is pinged while a response is
 * awaited. If it responds to no ping, all waiting requests fail. A slow service does not count as a hanging server,
 * because the server itself responds to pings.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsConnection } from '@nats-io/transport-node'
import { ConnectionLost } from '../link.ts'
import { perConnection } from '../per-connection.ts'

/** Milliseconds to wait for a response before the first ping. */
const firstPingAfterMs = 100
const betweenPingsMs = 500
/**
 * A server that responds to no ping for this number of ticks hangs: with the time before the first ping, 1.1 s. Ticks
 * are counted instead of time, because a process that was stalled has not received the response yet.
 */
const tickMs = 250
const maxTicks = 4

type Pulse = { isSilent: boolean; isWatched: boolean; waiting: Set<() => void> }

const pulseOf = perConnection<Pulse>(() => ({ isSilent: false, isWatched: false, waiting: new Set() }))

/**
 * Returns the response, or throws `ConnectionLost` once the server hangs. While it is known to hang, nothing is sent.
 */
export function whileAnswering<T>(nc: NatsConnection, request: () => Promise<T>): Promise<T> {
  const pulse = pulseOf(nc)
  return new Promise((resolve, reject) => {
    const fail = () => reject(new ConnectionLost('NATS does not respond'))
    if (pulse.isSilent) return fail()
    const timer = setTimeout(() => {
      pulse.waiting.add(fail)
      if (!pulse.isWatched) void watch(nc, pulse)
    }, firstPingAfterMs)
    const end = () => {
      clearTimeout(timer)
      pulse.waiting.delete(fail)
    }
    // A synchronous error becomes a rejection.
    const response = (async () => request())()
    response.then(resolve, reject).finally(end)
  })
}

/** Pings while any request waits. */
async function watch(nc: NatsConnection, pulse: Pulse): Promise<void> {
  pulse.isWatched = true
  while (pulse.waiting.size > 0 && !nc.isClosed()) {
    await ping(nc, pulse)
    await sleep(betweenPingsMs, undefined, { ref: false })
  }
  pulse.isWatched = false
}

/** Pings once. Resolves when the server has responded or the connection is lost, for which `link.ts` fails the requests. */
async function ping(nc: NatsConnection, pulse: Pulse): Promise<void> {
  let ticks = 0
  const timer = setInterval(() => {
    if (++ticks !== maxTicks) return
    pulse.isSilent = true
    for (const fail of [...pulse.waiting]) fail()
    pulse.waiting.clear()
  }, tickMs)
  try {
    await nc.flush()
  } catch {
    // The connection broke.
  } finally {
    clearInterval(timer)
    pulse.isSilent = false
  }
}
