/**
 * Lasting failures of work over a connection. Each piece of work reports its state here, and the heartbeats and probes
 * of that connection send it. Services need not pass it on.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { ServiceHealth } from '@tidemark/contracts/health'

/** `fault`: the service cannot do its work. `warning`: it can, and an operator should act. */
type Weight = 'fault' | 'warning'
type Trouble = { says: string; since: number; at: number; afterMs: number; keptMs: number; weight: Weight }

const troubles = new WeakMap<NatsConnection, Map<string, Trouble>>()
const beginnings = new WeakMap<NatsConnection, Map<string, string>>()

/** Registers work that must succeed once; until then its service is starting. */
export function begins(nc: NatsConnection, work: string, says: string): void {
  of(beginnings, nc).set(work, says)
}

/** `keptMs`: dropped this long after the last failure, for work that may never be tried again. */
type Failing = { weight?: Weight; keptMs?: number }

/** Records that this work fails. It is reported once it has failed for `afterMs`. */
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

/** Records that the work succeeds or has ended. */
export function works(nc: NatsConnection, work: string): void {
  of(troubles, nc).delete(work)
  of(beginnings, nc).delete(work)
}

/** Returns everything to report. */
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
