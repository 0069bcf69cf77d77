/**
 * Which proxy of a pool an order goes by: each order has its own place to begin at, another attempt begins at
 * the next one. A proxy that failed several times running is put aside, for longer each time; when its time
 * is over one order tries it, and by that it comes back or stays away.
 */
import { hash } from 'node:crypto'

export type Rotation<Member> = {
  /** The member for this order; or milliseconds until one may be back, where all of them are aside. */
  pick(members: readonly Member[], order: { key: string; attempt: number }): Picked<Member>
  /** How it went with a picked member; null where that says nothing of it. */
  went(member: Member, well: boolean | null): void
}

export type Picked<Member> = { member: Member } | { waitMs: number }

type Health = { failures: number; asideUntil: number; isOnTrial: boolean }

const failuresToPutAside = 3
const shortestAsideMs = 10_000
const longestAsideMs = 600_000

/** @param now milliseconds on a clock that never goes back */
export function createRotation<Member>(now: () => number): Rotation<Member> {
  /** Only of those that have failed. */
  const ailing = new Map<Member, Health>()

  const waitOf = (member: Member): number => {
    const health = ailing.get(member)
    if (health === undefined) return 0
    return health.isOnTrial ? shortestAsideMs : Math.max(0, health.asideUntil - now())
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
      return { waitMs: Math.min(...members.map(waitOf)) }
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
  // Requests that were out together fail together, which is one failure of a proxy that is aside by then.
  if (before && before.asideUntil > now) return before
  const failures = (before?.failures ?? 0) + 1
  const times = failures - failuresToPutAside
  const asideMs = times < 0 ? 0 : Math.min(shortestAsideMs * 2 ** times, longestAsideMs)
  return { failures, asideUntil: now + asideMs, isOnTrial: false }
}

const placeOf = (key: string): number => hash('sha256', key, 'buffer').readUInt32BE()
