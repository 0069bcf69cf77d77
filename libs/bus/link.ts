/**
 * Whether the connection to NATS stands. What was asked before it broke is never answered, so those who
 * wait can be told at once instead of running into their time limit.
 */
import type { NatsConnection } from '@nats-io/transport-node'

/** The connection broke, or did not come back in time. Whether what was sent arrived is unknown. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

type Link = { up: boolean; watchers: Set<() => void> }

const links = new WeakMap<NatsConnection, Link>()

/** Resolves once the connection stands; throws `ConnectionLost` if it does not within `limitMs`. */
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

/** The answer, or `ConnectionLost` as soon as the connection breaks. */
export function untilLost<T>(nc: NatsConnection, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = onLost(nc, () => reject(new ConnectionLost('the connection to NATS broke')))
    answer.then(resolve, reject).finally(forget)
  })
}

/** Runs a request that may be repeated: again, at most twice, when the connection broke under it. */
export async function persistently<T>(
  nc: NatsConnection,
  limitMs: number,
  request: () => Promise<T>,
): Promise<T> {
  for (let left = 3; ; left--) {
    await connected(nc, limitMs)
    try {
      return await untilLost(nc, request())
    } catch (error) {
      if (!(error instanceof ConnectionLost) || left <= 1) throw error
    }
  }
}

/** Calls back when the connection breaks or is closed. Returns what takes the call back. */
export function onLost(nc: NatsConnection, call: () => void): () => void {
  const link = linkOf(nc)
  const watcher = () => {
    if (!link.up) call()
  }
  link.watchers.add(watcher)
  return () => link.watchers.delete(watcher)
}

/** The link of a connection; made when it has just been opened, so it begins as standing. */
export function linkOf(nc: NatsConnection): Link {
  const known = links.get(nc)
  if (known) return known
  const link: Link = { up: true, watchers: new Set() }
  links.set(nc, link)
  void watch(nc, link)
  return link
}

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
