/**
 * Decides when a run may send a request to a host, across all runs and fetchers. The local clock decides first. Redis
 * is consulted only if there is a delay to share. While Redis is away the local clock decides alone, which is less
 * polite between processes but never slower.
 *
 * A pause counts from the moment a request leaves, not from the start of its slot. On a new connection the request
 * leaves later than its slot starts, so the next request could otherwise follow it at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BackOff } from '../domain/back-off.ts'
import { gapOf, type HostRequest, type LocalClock } from './local-clock.ts'
import type { SharedClock } from './shared-clock.ts'

export type HostClock = {
  /**
   * Returns 0 if the run may send its request now, and records it as sent. Otherwise returns milliseconds until the
   * next try.
   */
  take(request: HostRequest): Promise<number>
  /** Records that the permitted request leaves now, or will never leave. */
  sent(request: HostRequest): void
  /** Records that the response begins: the host has received the request, so the pause is counted from here. */
  responseBegan(request: HostRequest): void
  /** Records that the host requested a pause of this number of milliseconds. */
  backOff(target: BackOff, ms: number): Promise<void>
}

type Leaving = { since: number; left: PromiseWithResolvers<void> }

/** Milliseconds after which an opening connection no longer blocks other requests: it most likely fails. */
const maxLeavingMs = 2_000
/** Milliseconds added to each delay, so that the host sees the whole delay although connection latency varies. */
const jitterMs = 15
const slowRedisMs = 10
/** Milliseconds after the start of its slot. A request that leaves later is reported to the other processes. */
const lateMs = 2

/** Returns the request with `jitterMs` added to its delay. */
const withJitter = (request: HostRequest): HostRequest =>
  request.delayMs === 0 ? request : { ...request, delayMs: request.delayMs + jitterMs }

/**
 * Returns the clock.
 * @param reportPause passes a pause on to the other fetchers and to the operator; its errors are ignored
 */
export function createHostClock(
  local: LocalClock,
  shared: SharedClock,
  reportPause: (target: BackOff, ms: number) => Promise<void> = async () => {},
): HostClock {
  const leaving = new Map<string, Leaving>()

  return {
    async take(request) {
      const { host, delayMs } = request
      if (delayMs === 0) return local.waitOf(request)
      await departure(leaving.get(host))
      const jittered = withJitter(request)
      const localWait = () => local.waitOf(jittered)
      const wait = localWait()
      if (wait > 0) return wait
      const requestedAt = performance.now()
      const sharedWait = await shared.take(jittered).catch(localWait)
      if (sharedWait > 0) return sharedWait
      // The slot began when Redis granted it. If that was a while ago, it begins again now.
      if (performance.now() - requestedAt > slowRedisMs) await shared.moved(jittered).catch(ignoreRedisError)
      // Another request of this process may have been permitted while Redis did not respond: the slot is then not used.
      await departure(leaving.get(host))
      const lateWait = localWait()
      if (lateWait > 0) return lateWait
      local.recordSent(jittered)
      leaving.set(host, { since: performance.now(), left: Promise.withResolvers() })
      return 0
    },

    sent(request) {
      const { host, delayMs } = request
      if (delayMs === 0) return recordUndelayed(local, shared, request)
      const jittered = withJitter(request)
      local.recordSent(jittered)
      const own = leaving.get(host)
      if (own === undefined) return
      leaving.delete(host)
      own.left.resolve()
      if (performance.now() - own.since > lateMs) shared.moved(jittered).catch(ignoreRedisError)
    },

    responseBegan(request) {
      if (request.delayMs === 0) return
      const jittered = withJitter(request)
      local.recordSent(jittered)
      shared.moved(jittered).catch(ignoreRedisError)
    },

    async backOff(target, ms) {
      local.backOff(target, ms)
      await Promise.all(
        [shared.backOff(target, ms), reportPause(target, ms)].map(sending => sending.catch(ignoreRedisError)),
      )
    },
  }
}

/** Records a request that keeps no delay itself, if later requests must keep a gap after it. */
function recordUndelayed(local: LocalClock, shared: SharedClock, request: HostRequest): void {
  if (gapOf(request) === 0) return
  local.recordSent(request)
  shared.moved(request).catch(ignoreRedisError)
}

/** Resolves when the request that opens a connection to the host has left, or after `maxLeavingMs`. */
async function departure(leaving: Leaving | undefined): Promise<void> {
  if (leaving) await Promise.race([leaving.left.promise, sleep(maxLeavingMs, undefined, { ref: false })])
}

/** Ignores errors of Redis: the owner of the connection logs an outage once. */
const ignoreRedisError = () => {}
