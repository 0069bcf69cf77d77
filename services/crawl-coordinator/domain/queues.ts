/**
 * Manages the queues of pages that wait to be ordered: one per origin, in the order of admission, which is breadth
 * first. A slow origin blocks no other, because each has its own window.
 */
import { originOf, type Pending, type Running } from './run.ts'

/** Number of pages that are taken from one origin before the next one is served. */
const atATime = 8

export function enqueue(run: Running, key: string, url: string): void {
  const origin = originOf(url)
  const queue = run.ready.get(origin)
  if (queue) queue.add(key)
  else run.ready.set(origin, new Set([key]))
}

/** Removes a page from the queue of its origin, even if it still waits for the robots.txt there. */
export function removeFromQueue(run: Running, key: string, url: string): void {
  const origin = originOf(url)
  run.awaitingRobots.get(origin)?.delete(key)
  const queue = run.ready.get(origin)
  queue?.delete(key)
  if (queue?.size === 0) run.ready.delete(origin)
}

/**
 * Counts an order of this page that is sent (1) or has ended (-1). An order that is taken from the store keeps no host
 * busy.
 */
export function countOut(run: Running, { found, lane, order }: Pending, by: 1 | -1): void {
  run.out += by
  if (order?.stored) {
    run.storedOut += by
    return
  }
  if (lane === 'browser') {
    run.rendering.out += by
    return
  }
  const origin = originOf(found.url)
  const out = outAt(run, origin) + by
  if (out > 0) run.outAt.set(origin, out)
  else run.outAt.delete(origin)
}

export const outAt = (run: Running, origin: string): number => run.outAt.get(origin) ?? 0

type Wanted = {
  /** Keys of pages that are due again. */
  due: string[]
  /** Maximum number of orders in all. */
  free: number
  /** Returns the maximum number of requests to an origin. */
  freeAt: (origin: string) => number
  /** Returns the keys of a queue that may be ordered. */
  orderable: (keys: Iterable<string>) => Iterator<string, undefined>
  /** Returns whether the order of a page leads to no request. */
  sendsNothing: (key: string) => boolean
}

/** Returns the keys to order next, by origin, chosen round robin. */
export function nextInQueues(
  run: Running,
  { due, free, freeAt, orderable, sendsNothing }: Wanted,
): Map<string, string[]> {
  const queues = waitingAt(run, due).map(([origin, keys]) => {
    const host = { free: freeAt(origin) }
    return { origin, host, keys: orderable(withinHost(keys, host, sendsNothing)) }
  })
  const taken = new Map<string, string[]>()
  for (let left = free, going = queues; left > 0 && going.length > 0; ) {
    going = going.filter(queue => {
      const keys = take(queue.keys, Math.min(left, atATime), key => {
        if (!sendsNothing(key)) queue.host.free--
      })
      left -= keys.length
      const earlier = taken.get(queue.origin)
      if (earlier) earlier.push(...keys)
      else if (keys.length > 0) taken.set(queue.origin, keys)
      return keys.length === atATime
    })
  }
  return taken
}

/**
 * Returns the queue of each origin. Pages that are due again come before those never requested. Queues may be long, so
 * they are iterators, which are read only as far as needed.
 */
function waitingAt(run: Running, due: string[]): [string, Iterable<string>][] {
  const again = Map.groupBy(due, key => originOf(run.pending.get(key)?.found.url ?? ''))
  const origins = new Set([...again.keys(), ...run.ready.keys()])
  return Array.from(origins, origin => [origin, both(again.get(origin), run.ready.get(origin))])
}

function* both(first: Iterable<string> = [], then: Iterable<string> = []): Generator<string, undefined> {
  yield* first
  yield* then
}

/** Yields the keys of a queue up to the first request for which its host has no capacity. */
function* withinHost(
  keys: Iterable<string>,
  host: Readonly<{ free: number }>,
  sendsNothing: (key: string) => boolean,
): Generator<string, undefined> {
  for (const key of keys) {
    if (host.free <= 0 && !sendsNothing(key)) return
    yield key
  }
}

function take(keys: Iterator<string>, max: number, taking: (key: string) => void): string[] {
  const taken: string[] = []
  while (taken.length < max) {
    const { value, done } = keys.next()
    if (done) break
    taking(value)
    taken.push(value)
  }
  return taken
}

/** Returns the keys of the pages in flight, by the number of the message that ordered them. */
export function keysOut({ pending }: Running): Map<number, string[]> {
  const byMessage = new Map<number, string[]>()
  for (const [key, { order }] of pending) {
    if (!order) continue
    const keys = byMessage.get(order.message)
    if (keys) keys.push(key)
    else byMessage.set(order.message, [key])
  }
  return byMessage
}
