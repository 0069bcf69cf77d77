/**
 * Runs that were ended from outside, and pages that somebody waited for who has left: their orders are dropped and
 * their requests called off, so that a cancelled crawl leaves its hosts, and the other crawls' places in the queue,
 * at once. What is not heard here costs a fetch whose outcome nobody takes.
 */
import type { Bus } from '@tidemark/bus/connection'
import { tells } from '@tidemark/contracts/subjects'
import type { RunEnded, WorkDropped } from '@tidemark/contracts/tells'
import { keepNewest } from '../domain/newest.ts'

const mostRemembered = 10_000

export type EndedRuns = Disposable & {
  /** Aborts when the run is ended, or at once if it was; so for a work. Let go of it when it is done. */
  watch(runOrWork: number): Disposable & { signal: AbortSignal }
}

export function listenForEndedRuns(bus: Bus): EndedRuns {
  const ended = new Set<number>()
  const watching = new Map<number, Set<AbortController>>()
  const end = (runOrWork: number) => {
    ended.add(runOrWork)
    keepNewest(ended, mostRemembered)
    for (const controller of watching.get(runOrWork) ?? []) controller.abort()
  }
  const subscriptions = [
    bus.nc.subscribe(tells.runEnded, {
      callback: (_error, message) => end(message.json<RunEnded>().runId),
    }),
    bus.nc.subscribe(tells.workDropped, {
      callback: (_error, message) => end(message.json<WorkDropped>().workId),
    }),
  ]
  return {
    watch(runOrWork) {
      const controller = new AbortController()
      const watchers = watching.get(runOrWork) ?? new Set()
      watching.set(runOrWork, watchers.add(controller))
      if (ended.has(runOrWork)) controller.abort()
      return {
        signal: controller.signal,
        [Symbol.dispose]() {
          watchers.delete(controller)
          if (watchers.size === 0) watching.delete(runOrWork)
        },
      }
    },
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}
