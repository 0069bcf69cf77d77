/**
 * Receives notices of requests that their clients abandoned. A missed notice only costs work whose result is discarded.
 */
import type { Bus } from '@tidemark/bus/connection'
import { onNotification } from '@tidemark/bus/requests/notifications'
import { WorkDropped } from '@tidemark/contracts/notifications'
import { notifications } from '@tidemark/contracts/subjects'

export type DroppedWork = Disposable & {
  /** Aborts when the request is abandoned. Dispose of it when the work is done. */
  watch(workId: number): Disposable & { signal: AbortSignal }
}

export function listenForDroppedWork(bus: Bus): DroppedWork {
  const watching = new Map<number, AbortController>()
  const subscription = onNotification(bus, notifications.workDropped, WorkDropped, ({ workId }) =>
    watching.get(workId)?.abort(),
  )
  return {
    watch(workId) {
      const controller = new AbortController()
      watching.set(workId, controller)
      return { signal: controller.signal, [Symbol.dispose]: () => void watching.delete(workId) }
    },
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  }
}
