/**
 * Tracks whether the connection to NATS is open. Requests sent before a break never get a response, so their callers
 * fail at once instead of running into their timeout.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { errors, type NatsConnection } from '@nats-io/transport-node'
import { gotNoResponse, isClustered, isNoLeaderError } from './leader.ts'
import { perConnection } from './per-connection.ts'

/** Reports that the connection broke, or was not restored in time. It is unknown whether sent messages arrived. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

type Link = { up: boolean; watchers: Set<() => void> }

/** Resolves once the connection is open; throws `ConnectionLost` after `limitMs`. */
export async function connected(nc: NatsConnection, limitMs: number, signal?: AbortSignal): Promise<void> {
  const link = linkOf(nc)
  const end = performance.now() + limitMs
  while (!link.up && !nc.isClosed()) {
    const left = end - performance.now()
    if (left <= 0 || signal?.aborted) throw new ConnectionLost(`no connection to NATS within ${limitMs} ms`)
    await changed(link, left, signal)
  }
  if (nc.isClosed()) throw new ConnectionLost('the connection to NATS is closed')
}

/** Returns the response, or throws `ConnectionLost` as soon as the connection breaks. */
export function untilLost<T>(nc: NatsConnection, response: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = onLost(nc, () => reject(new ConnectionLost('the connection to NATS broke')))
    response.then(resolve, reject).finally(forget)
  })
}

/** First timeout in a cluster in milliseconds. It doubles with each try, because a leader that died sends no error. */
const firstTimeoutMs = 1_000
const betweenTriesMs = 200

/**
 * Runs a request that may be repeated, and returns its response. Repeats it at most twice if the connection breaks,
 * and in a cluster until `limitMs` while there is no leader.
 */
export async function persistently<T>(
  nc: NatsConnection,
  limitMs: number,
  request: () => Promise<T>,
): Promise<T> {
  const end = performance.now() + limitMs
  let timeoutMs = firstTimeoutMs
  for (let left = 3; ; ) {
    await connected(nc, limitMs)
    const leftMs = Math.max(betweenTriesMs, end - performance.now())
    try {
      const response = untilLost(nc, request())
      return await (isClustered(nc) ? within(response, Math.min(timeoutMs, leftMs)) : response)
    } catch (error) {
      const isLost = error instanceof ConnectionLost
      if (isLost && --left <= 0) throw error
      if (!isLost && !(isClustered(nc) && (isNoLeaderError(error) || gotNoResponse(error)))) throw error
      if (!isLost && performance.now() + betweenTriesMs >= end) throw error
      if (gotNoResponse(error)) timeoutMs *= 2
      if (!isLost) await sleep(betweenTriesMs)
    }
  }
}

/** Returns the response, or throws after the limit. */
function within<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new errors.TimeoutError()), limitMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Calls back when the connection breaks or is closed. Returns a function that cancels the callback. */
export function onLost(nc: NatsConnection, call: () => void): () => void {
  return onChange(nc, isUp => {
    if (!isUp) call()
  })
}

/**
 * Calls back each time the connection breaks, is closed or opens again. Returns a function that cancels the callback.
 */
export function onChange(nc: NatsConnection, call: (isUp: boolean) => void): () => void {
  const link = linkOf(nc)
  const watcher = () => call(link.up)
  link.watchers.add(watcher)
  return () => link.watchers.delete(watcher)
}

/** Returns the link of a connection. It is created right after the connection opens, so it begins as open. */
export const linkOf = perConnection<Link>(nc => {
  const link: Link = { up: true, watchers: new Set() }
  void watch(nc, link)
  return link
})

async function watch(nc: NatsConnection, link: Link): Promise<void> {
  for await (const { type } of nc.status()) {
    if (type === 'reconnect') set(link, true)
    if (type === 'disconnect' || type === 'close') set(link, false)
  }
  set(link, false)
}

function set(link: Link, up: boolean): void {
  link.up = up
  for (const watcher of [...link.watchers]) watcher()
}

function changed(link: Link, limitMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      link.watchers.delete(done)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, limitMs)
    link.watchers.add(done)
    signal?.addEventListener('abort', done, { once: true })
  })
}
