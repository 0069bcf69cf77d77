/**
 * Chooses a proxy of a pool for an order. Each order has its own start index, and each further attempt begins at the
 * next proxy. A proxy that failed several times in a row is suspended, for longer each time. After that one order
 * tries it, and the result ends or extends the suspension.
 */
import { hash } from 'node:crypto'

export type Rotation<Member> = {
  /** Returns the member for this order, or whole milliseconds until one may be back if all are suspended. */
  pick(members: readonly Member[], order: { key: string; attempt: number }): Picked<Member>
  /** Records whether a picked member worked, or which target it refused; null if the result says nothing about it. */
  went(member: Member, result: boolean | Refusal | null): void
}

/** A target that a proxy refused by its policy, and the project that requested it, if that is known. */
export type Refusal = { host: string; project: number | undefined }

export type Picked<Member> = { member: Member } | { waitMs: number }

/** Hosts and projects of the refused targets since the last response or failure. */
type Refused = { hosts: Set<string>; projects: Set<number> }

type Health = { failures: number; suspendedUntil: number; isOnTrial: boolean }

const failuresToSuspend = 3
/**
 * Refused targets of this many hosts and projects, without any response, count as one failure of the proxy, such as a
 * used-up account. Projects choose their targets, so none of them alone can suspend a proxy for the others.
 */
const refusedToFail = 3
const minSuspendedMs = 10_000
const maxSuspendedMs = 600_000

/**
 * Returns a rotation without suspended members.
 * @param now milliseconds on a clock that never goes back
 */
export function createRotation<Member>(now: () => number): Rotation<Member> {
  /** Health of the members whose last use failed. */
  const ailing = new Map<Member, Health>()
  const refusing = new Map<Member, Refused>()

  const waitOf = (member: Member): number => {
    const health = ailing.get(member)
    if (health === undefined) return 0
    return health.isOnTrial ? minSuspendedMs : Math.max(0, health.suspendedUntil - now())
  }

  const wellOf = (member: Member, { host, project }: Refusal): false | null => {
    const refused = refusing.get(member) ?? { hosts: new Set(), projects: new Set() }
    if (refused.hosts.size < refusedToFail) refused.hosts.add(host)
    if (project !== undefined && refused.projects.size < refusedToFail) refused.projects.add(project)
    const isFailure = Math.min(refused.hosts.size, refused.projects.size) === refusedToFail
    if (isFailure) refusing.delete(member)
    else refusing.set(member, refused)
    return isFailure ? false : null
  }

  return {
    pick(members, { key, attempt }) {
      const begin = startOf(key) + attempt
      for (let step = 0; step < members.length; step++) {
        const member = members[(begin + step) % members.length]
        if (member === undefined || waitOf(member) > 0) continue
        const health = ailing.get(member)
        if (health && health.failures >= failuresToSuspend) health.isOnTrial = true
        return { member }
      }
      return { waitMs: Math.ceil(Math.min(...members.map(waitOf))) }
    },

    went(member, result) {
      const well = result === null || typeof result === 'boolean' ? result : wellOf(member, result)
      if (well === true) {
        ailing.delete(member)
        refusing.delete(member)
      }
      const health = ailing.get(member)
      if (health) health.isOnTrial = false
      if (well === false) ailing.set(member, afterFailure(health, now()))
    },
  }
}

function afterFailure(before: Health | undefined, now: number): Health {
  // Concurrent requests fail together, so failures of a proxy that is already suspended are not counted again.
  if (before && before.suspendedUntil > now) return before
  const failures = (before?.failures ?? 0) + 1
  const times = failures - failuresToSuspend
  const suspendedMs = times < 0 ? 0 : Math.min(minSuspendedMs * 2 ** times, maxSuspendedMs)
  return { failures, suspendedUntil: now + suspendedMs, isOnTrial: false }
}

const startOf = (key: string): number => hash('sha256', key, 'buffer').readUInt32BE()
