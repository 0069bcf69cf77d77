/**
 * Sends the pauses that hosts request (Retry-After) to all fetchers. Requests with a delay find the pauses in Redis.
 * Requests without a delay are permitted by the local clock alone, so that they cost no request to Redis.
 */
import type { Bus } from '@tidemark/bus/connection'
import { onNotification } from '@tidemark/bus/requests/notifications'
import { HostPaused } from '@tidemark/contracts/notifications'
import { notifications } from '@tidemark/contracts/subjects'
import type { BackOff } from '../domain/back-off.ts'
import type { LocalClock } from './local-clock.ts'

export type HostPauses = Disposable & {
  /** Notifies the other fetchers. The notification may be lost. */
  notify(target: BackOff, ms: number): void
}

/** Records the pauses of other fetchers in the local clock until it is disposed. */
export function shareHostPauses({ nc }: Pick<Bus, 'nc'>, local: Pick<LocalClock, 'backOff'>): HostPauses {
  const subscription = onNotification({ nc }, notifications.hostPaused, HostPaused, ({ ms, ...target }) =>
    local.backOff(target, ms),
  )
  return {
    notify(target, ms) {
      if (nc.isClosed() || nc.isDraining()) return
      nc.publish(notifications.hostPaused, JSON.stringify({ ...target, ms } satisfies HostPaused))
    },
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  }
}
