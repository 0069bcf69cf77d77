/** Types and functions that the parts of webhook share: connections, settings and state. */
import type { Relay } from '@tidemark/db/outbox'
import type { Serving } from '@tidemark/db/run-service'
import type { HttpClient } from '@tidemark/http/client'
import type { SecretStore } from '../adapters/secrets.ts'
import type { Gate } from '../concurrency/gate.ts'
import type { Outstanding } from '../concurrency/outstanding.ts'
import type { Settings } from '../settings.ts'

export type WebhookParts = Serving & {
  settings: Settings
  client: HttpClient
  outbox: Relay
  secrets: SecretStore
  gate: Gate
  outstanding: Outstanding
}

/** Time for attempts in progress after the signal to stop. Then they count as interrupted and are retried. */
const graceMs = 6_000

/** Publishes an outbox row. Errors are ignored, because the relay publishes the row a little later. */
export const publishSoon = (outbox: Relay) => (id: number) => void outbox.publishNow(id).catch(() => {})

/** Returns a signal that aborts `graceMs` after the signal of the service. */
export function afterGrace(signal: AbortSignal): AbortSignal {
  const later = new AbortController()
  const abort = () => setTimeout(() => later.abort(signal.reason), graceMs).unref()
  signal.addEventListener('abort', abort, { once: true })
  return later.signal
}
