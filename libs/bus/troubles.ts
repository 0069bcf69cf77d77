/**
 * What a process should be doing over its connection and has not been able to do for a while. Whoever works says
 * so here, and the heartbeats and probes of that connection tell it: so no service has to pass it on.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { ServiceHealth } from '@tidemark/contracts/health'

/** `fault`: the service cannot do its work. `warning`: it can, and somebody should see to it. */
type Weight = 'fault' | 'warning'
type Trouble = { says: string; since: number; at: number; afterMs: number; keptMs: number; weight: Weight }

const troubles = new WeakMap<NatsConnection, Map<string, Trouble>>()
const beginnings = new WeakMap<NatsConnection, Map<string, string>>()

/** This work is taken up, and has still to be done once: its service starts until then. */
export function begins(nc: NatsConnection, work: string, says: string): void {
  of(beginnings, nc).set(work, says)
}

/** `keptMs`: forgotten so long after the last time, where nobody may ever try it again. */
type Failing = { weight?: Weight; keptMs?: number }

/** This work fails, since the first time that it says so. It is told once it has failed for `afterMs`. */
export function fails(
  nc: NatsConnection,
  work: string,
  says: string,
  afterMs: number,
  { weight = 'fault', keptMs = Number.POSITIVE_INFINITY }: Failing = {},
): void {
  const known = of(troubles, nc)
  const at = performance.now()
  const last = known.get(work)
  const since = last && isKept(last, at) ? last.since : at
  known.set(work, { says, since, at, afterMs, keptMs, weight })
}

/** It works again, or is no longer to be done. */
export function works(nc: NatsConnection, work: string): void {
  of(troubles, nc).delete(work)
  of(beginnings, nc).delete(work)
}

/** All that is to be told. */
export function healthOf(nc: NatsConnection): ServiceHealth {
  const now = performance.now()
  const lasting = [...of(troubles, nc).values()].filter(
    trouble => isKept(trouble, now) && now - trouble.since >= trouble.afterMs,
  )
  const weighing = (wanted: Weight) =>
    lasting.filter(({ weight }) => weight === wanted).map(({ says }) => says)
  return {
    starting: [...of(beginnings, nc).values()],
    faults: weighing('fault'),
    warnings: weighing('warning'),
  }
}

const isKept = ({ at, keptMs }: Trouble, now: number): boolean => now - at <= keptMs

function of<Value>(all: WeakMap<NatsConnection, Map<string, Value>>, nc: NatsConnection): Map<string, Value> {
  const known = all.get(nc) ?? new Map<string, Value>()
  all.set(nc, known)
  return known
}
