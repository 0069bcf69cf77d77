/**
 * Receives notifications of ended runs, and of synchronous pages whose client left. Their orders are dropped and
 * their requests aborted, so that a cancelled crawl frees its hosts and its slots in the queue at once. A missed
 * notification costs a fetch whose outcome is discarded. If the run may be retried, only its requests are aborted.
 */
import type { Bus } from '@tidemark/bus/connection'
import { onNotification } from '@tidemark/bus/requests/notifications'
import { RunEnded, WorkDropped } from '@tidemark/contracts/notifications'
import { notifications } from '@tidemark/contracts/subjects'
import { keepNewest } from '../domain/newest.ts'

const maxCached = 10_000

export type EndedRuns = Disposable & {
  /**
   * Returns a signal that aborts when the run or work ends, or has ended already. Dispose it when the work is done.
   */
  watch(runOrWork: number): Disposable & { signal: AbortSignal }
}

export function listenForEndedRuns(bus: Bus): EndedRuns {
  const ended = new Set<number>()
  const watching = new Map<number, Set<AbortController>>()
  const end = (runOrWork: number, { isForGood = true } = {}) => {
    if (isForGood) ended.add(runOrWork)
    keepNewest(ended, maxCached)
    for (const controller of watching.get(runOrWork) ?? []) controller.abort()
  }
  const subscriptions = [
    onNotification(bus, notifications.runEnded, RunEnded, ({ runId, mayBeRetried }) =>
      end(runId, { isForGood: !mayBeRetried }),
    ),
    onNotification(bus, notifications.workDropped, WorkDropped, ({ workId }) => end(workId)),
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
      for (const subscription of subscriptions) subscription[Symbol.dispose]()
    },
  }
}
