/**
 * Collects lasting failures of work over a NATS connection. Each piece of work reports its state here, and the
 * heartbeats and probes of that connection include it. Services need not pass it on.
 */
import type { NatsConnection } from '@nats-io/transport-node'
import type { ServiceHealth } from '@tidemark/contracts/health'
import { perConnection } from './per-connection.ts'

/** `fault`: the service cannot do its work. `warning`: it can, and an operator should act. */
type Weight = 'fault' | 'warning'
type Trouble = { text: string; since: number; at: number; afterMs: number; keptMs: number; weight: Weight }

const troublesOf = perConnection(() => new Map<string, Trouble>())
/** The texts of work that has not succeeded yet. */
const beginningsOf = perConnection(() => new Map<string, string>())

/** Registers work that must succeed once; until then its service is starting. */
export function reportStarting(nc: NatsConnection, work: string, text: string): void {
  beginningsOf(nc).set(work, text)
}

/** `keptMs`: milliseconds after the last failure until it is dropped, for work that may never be tried again. */
type Failing = { weight?: Weight; keptMs?: number }

/** Records that this work fails. `healthOf` includes it when it has failed for `afterMs`. */
export function reportFailing(
  nc: NatsConnection,
  work: string,
  text: string,
  afterMs: number,
  { weight = 'fault', keptMs = Number.POSITIVE_INFINITY }: Failing = {},
): void {
  const known = troublesOf(nc)
  const at = performance.now()
  const last = known.get(work)
  const since = last && isKept(last, at) ? last.since : at
  known.set(work, { text, since, at, afterMs, keptMs, weight })
}

/** Records that the work succeeds or has ended. */
export function reportWorking(nc: NatsConnection, work: string): void {
  troublesOf(nc).delete(work)
  beginningsOf(nc).delete(work)
}

/** Returns the work that has not begun, and the lasting faults and warnings. */
export function healthOf(nc: NatsConnection): ServiceHealth {
  const now = performance.now()
  const lasting = [...troublesOf(nc).values()].filter(
    trouble => isKept(trouble, now) && now - trouble.since >= trouble.afterMs,
  )
  const weighing = (wanted: Weight) =>
    lasting.filter(({ weight }) => weight === wanted).map(({ text }) => text)
  return {
    starting: [...beginningsOf(nc).values()],
    faults: weighing('fault'),
    warnings: weighing('warning'),
  }
}

const isKept = ({ at, keptMs }: Trouble, now: number): boolean => now - at <= keptMs
