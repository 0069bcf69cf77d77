/**
 * Runs that were ended from outside: their orders are dropped and their requests called off, so that a
 * cancelled crawl leaves its hosts, and the other crawls' places in the queue, at once. What is not heard here
 * costs a fetch whose outcome nobody takes.
 */
import type { Bus } from '@tidemark/bus/connection'
import { tells } from '@tidemark/contracts/subjects'
import type { RunEnded } from '@tidemark/contracts/tells'
import { keepNewest } from '../domain/newest.ts'

const mostRemembered = 10_000

export type EndedRuns = Disposable & {
  /** Aborts when the run is ended, or at once if it was. Let go of it when the work is done. */
  watch(runId: number): Disposable & { signal: AbortSignal }
}

export function listenForEndedRuns(bus: Bus): EndedRuns {
  const ended = new Set<number>()
  const watching = new Map<number, Set<AbortController>>()
  const subscription = bus.nc.subscribe(tells.runEnded, {
    callback: (_error, message) => {
      const { runId } = message.json<RunEnded>()
      ended.add(runId)
      keepNewest(ended, mostRemembered)
      for (const controller of watching.get(runId) ?? []) controller.abort()
    },
  })
  return {
    watch(runId) {
      const controller = new AbortController()
      const watchers = watching.get(runId) ?? new Set()
      watching.set(runId, watchers.add(controller))
      if (ended.has(runId)) controller.abort()
      return {
        signal: controller.signal,
        [Symbol.dispose]() {
          watchers.delete(controller)
          if (watchers.size === 0) watching.delete(runId)
        },
      }
    },
    [Symbol.dispose]: () => subscription.unsubscribe(),
  }
}
