/** Notifies gateways of a changed account, and publishes the change in ACCOUNTS. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { notifications } from '@tidemark/contracts/subjects'
import type { Relay } from '@tidemark/db/outbox'

/**
 * Maximum wait in milliseconds. Gateways wait ten seconds for a response, and only the response has a new key. The relay
 * publishes the row later in any case.
 */
const maxWaitMs = 1_000

/**
 * Notifies gateways of a change, and publishes its row of the outbox in ACCOUNTS. Returns the sequence of the change in
 * that stream; null: nothing changed, or the row cannot be published within a second.
 */
export type Announce = (outboxId: number | null) => Promise<number | null>

/** Returns the function that notifies and publishes. */
export const announcer =
  ({ nc }: Pick<Bus, 'nc'>, outbox: Pick<Relay, 'publishNow'>): Announce =>
  async id => {
    if (id === null) return null
    // Sent before the response: a client that knows of a key's end finds no gateway that still accepts the key.
    if (!nc.isClosed() && !nc.isDraining()) nc.publish(notifications.keysChanged)
    const over = new AbortController()
    const late = sleep(maxWaitMs, null, { signal: over.signal }).catch(() => null)
    return Promise.race([outbox.publishNow(id).catch(() => null), late]).finally(() => over.abort())
  }
