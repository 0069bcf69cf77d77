/**
 * A subscription that is opened again as long as NATS rejects it. NATS may have users of an earlier version, which may
 * not serve a new procedure. Until its configuration is reloaded, the service is not ready; then it recovers alone.
 */
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import { named } from '@tidemark/contracts/health'
import { reportFailing, reportWorking } from '../troubles.ts'

type Subscribing = {
  subject: string
  /** The group whose members share the messages. */
  queue: string
  take: (message: Msg) => void
  report: (error: unknown) => void
}

/** Milliseconds from a rejection to the next try. */
const againMs = 5_000
/** A rejected try reports itself within a round trip, so two pauses without one mean that the subscription is open. */
const keptMs = 2 * againMs

/** Subscribes, and returns a function that ends the subscription after the messages that have arrived. */
export function subscribeLastingly(
  nc: NatsConnection,
  { subject, queue, take, report }: Subscribing,
): () => Promise<void> {
  const work = `subscription to ${subject}`
  let again: NodeJS.Timeout | undefined
  let isOver = false
  let reportedAt = Number.NEGATIVE_INFINITY
  let subscription = open()

  function open() {
    return nc.subscribe(subject, {
      queue,
      callback: (error, message) => (error ? rejected(error) : take(message)),
    })
  }

  function rejected(error: Error): void {
    const text = `${error.message}. Update the users of NATS to this version, and reload its configuration.`
    reportFailing(nc, work, named('subscription_rejected', text), 0, { keptMs })
    if (performance.now() - reportedAt > keptMs) report(error)
    reportedAt = performance.now()
    again = setTimeout(() => {
      if (!isOver && !nc.isClosed()) subscription = open()
    }, againMs)
  }

  return () => {
    isOver = true
    clearTimeout(again)
    reportWorking(nc, work)
    return subscription.drain()
  }
}
