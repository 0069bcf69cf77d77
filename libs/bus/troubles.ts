/**
 * What a process should be doing over its connection and has not been able to do for a while. Whoever works says
 * so here, and the heartbeats of that connection tell it: so no service has to pass it on.
 */
import type { NatsConnection } from '@nats-io/transport-node'

type Trouble = { says: string; since: number; afterMs: number }

const troubles = new WeakMap<NatsConnection, Map<string, Trouble>>()

/** This work fails, since the first time that it says so. It is told once it has failed for `afterMs`. */
export function fails(nc: NatsConnection, work: string, says: string, afterMs: number): void {
  const known = troublesOf(nc)
  const since = known.get(work)?.since ?? performance.now()
  known.set(work, { says, since, afterMs })
}

/** It works again, or is no longer to be done. */
export function works(nc: NatsConnection, work: string): void {
  troublesOf(nc).delete(work)
}

/** What has failed for long enough, the first of it; null where all is well. */
export function troubleOf(nc: NatsConnection): string | null {
  const now = performance.now()
  const lasting = [...troublesOf(nc).values()].find(({ since, afterMs }) => now - since >= afterMs)
  return lasting?.says ?? null
}

function troublesOf(nc: NatsConnection): Map<string, Trouble> {
  const known = troubles.get(nc) ?? new Map<string, Trouble>()
  troubles.set(nc, known)
  return known
}
