/**
 * Chooses a proxy of a pool for an order. Each order has its own start index, and each further attempt begins at the
 * next proxy. A proxy that failed several times in a row is suspended, for longer each time. After that one order
 * tries it, and the result ends or extends the suspension.
 */
import { hash } from 'node:crypto'

export type Rotation<Member> = {
  /** Returns the member for this order, or whole milliseconds until one may be back if all are suspended. */
  pick(members: readonly Member[], order: { key: string; attempt: number }): Picked<Member>
  /** Records whether a picked member worked; null if the result says nothing about it. */
  went(member: Member, well: boolean | null): void
}

export type Picked<Member> = { member: Member } | { waitMs: number }

type Health = { failures: number; asideUntil: number; isOnTrial: boolean }

const failuresToPutAside = 3
const minAsideMs = 10_000
const maxAsideMs = 600_000

/**
 * Returns a rotation without suspended members.
 * @param now milliseconds on a clock that never goes back
 */
export function createRotation<Member>(now: () => number): Rotation<Member> {
  /** Health of the members whose last use failed. */
  const ailing = new Map<Member, Health>()

  const waitOf = (member: Member): number => {
    const health = ailing.get(member)
    if (health === undefined) return 0
    return health.isOnTrial ? minAsideMs : Math.max(0, health.asideUntil - now())
  }

  return {
    pick(members, { key, attempt }) {
      const begin = placeOf(key) + attempt
      for (let step = 0; step < members.length; step++) {
        const member = members[(begin + step) % members.length]
        if (member === undefined || waitOf(member) > 0) continue
        const health = ailing.get(member)
        if (health && health.failures >= failuresToPutAside) health.isOnTrial = true
        return { member }
      }
      return { waitMs: Math.ceil(Math.min(...members.map(waitOf))) }
    },

    went(member, well) {
      if (well === true) ailing.delete(member)
      const health = ailing.get(member)
      if (health) health.isOnTrial = false
      if (well === false) ailing.set(member, afterFailure(health, now()))
    },
  }
}

function afterFailure(before: Health | undefined, now: number): Health {
  // Concurrent requests fail together, which counts as one failure of a proxy that is suspended by then.
  if (before && before.asideUntil > now) return before
  const failures = (before?.failures ?? 0) + 1
  const times = failures - failuresToPutAside
  const asideMs = times < 0 ? 0 : Math.min(minAsideMs * 2 ** times, maxAsideMs)
  return { failures, asideUntil: now + asideMs, isOnTrial: false }
}

const placeOf = (key: string): number => hash('sha256', key, 'buffer').readUInt32BE()
