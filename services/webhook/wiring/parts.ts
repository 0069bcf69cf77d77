/** What the parts of webhook are made of. */
import type { Relay } from '@tidemark/db/outbox'
import type { Serving } from '@tidemark/db/run-service'
import type { HttpClient } from '@tidemark/http/client'
import type { SecretStore } from '../adapters/secrets.ts'
import type { Settings } from '../settings.ts'
import type { Gate } from '../turns/gate.ts'
import type { Outstanding } from '../turns/outstanding.ts'

export type Parts = Serving & {
  settings: Settings
  client: HttpClient
  outbox: Relay
  secrets: SecretStore
  gate: Gate
  outstanding: Outstanding
}

/** What is being sent when told to stop may end within this; then it counts as interrupted and is tried again. */
const graceMs = 6_000

/** What is committed but not published goes out by itself, a little later. */
export const publishSoon = (outbox: Relay) => (id: number) => void outbox.publishNow(id).catch(() => {})

/** A signal that follows that of the service when what is under way has had its time. */
export function afterGrace(signal: AbortSignal): AbortSignal {
  const later = new AbortController()
  const abort = () => setTimeout(() => later.abort(signal.reason), graceMs).unref()
  signal.addEventListener('abort', abort, { once: true })
  return later.signal
}
