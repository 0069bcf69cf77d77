/**
 * Limits the look-ups of keys that a gateway does not know yet. A client address may try a limited number of invalid
 * keys. At most eight look-ups run at once, and waiting addresses take turns. So a client that guesses keys is rejected
 * soon, and other customers wait for at most one look-up per address.
 */

import { networkOf } from '@tidemark/contracts/client-network'
import { ApiProblem } from '../../http/domain/problem.ts'

const maxLookUps = 8
/** Maximum number of invalid keys per address. The number falls by one each second. */
const maxUnknown = 60
const forgetMs = 1_000
/** Maximum number of waiting look-ups of all addresses. Each address may have at least one. */
const maxQueued = 10_000
const maxOrigins = 10_000

type Origin = {
  /** Number of invalid keys at the time `at`; it falls by one each second. */
  unknown: number
  at: number
  /** Look-ups under way and queued. */
  pending: number
  queue: (() => void)[]
}

/**
 * Looks a key up. `isValid` returns whether the found key is valid. Throws `ApiProblem`: `too_many_requests` for an
 * address at its limit, `unavailable` for an address with too many waiting look-ups.
 */
export type FairLookUp = <Found>(
  clientIp: string,
  find: () => Promise<Found>,
  isValid: (found: Found) => boolean,
) => Promise<Found>

/** @param now milliseconds of a monotonic clock */
export function fairLookUps(now: () => number): FairLookUp {
  const origins = new Map<string, Origin>()
  /** Addresses with waiting look-ups, in their order. */
  const waiting: Origin[] = []
  let underWay = 0

  return async (clientIp, find, isValid) => {
    const origin = originOf(networkOf(clientIp))
    const beyond = origin.unknown + origin.pending - maxUnknown
    if (beyond >= 0) throw tooManyUnknown(beyond)
    if (origin.queue.length >= Math.max(1, maxQueued / (waiting.length + 1)))
      throw new ApiProblem('unavailable')
    origin.pending++
    try {
      await acquireSlot(origin)
      const found = await find().finally(releaseSlot)
      if (!isValid(found)) origin.unknown++
      return found
    } finally {
      origin.pending--
    }
  }

  function originOf(network: string): Origin {
    const at = now()
    const origin = origins.get(network) ?? { unknown: 0, at, pending: 0, queue: [] }
    origin.unknown = Math.max(0, origin.unknown - (at - origin.at) / forgetMs)
    origin.at = at
    origins.delete(network)
    const [oldest] = origins
    if (origins.size >= maxOrigins && oldest?.[1].pending === 0) origins.delete(oldest[0])
    origins.set(network, origin)
    return origin
  }

  async function acquireSlot(origin: Origin): Promise<void> {
    if (underWay < maxLookUps) {
      underWay++
      return
    }
    await new Promise<void>(resolve => {
      if (origin.queue.push(resolve) === 1) waiting.push(origin)
    })
  }

  function releaseSlot(): void {
    const origin = waiting.shift()
    if (origin === undefined) {
      underWay--
      return
    }
    origin.queue.shift()?.()
    if (origin.queue.length > 0) waiting.push(origin)
  }
}

const tooManyUnknown = (beyond: number) =>
  new ApiProblem('too_many_requests', {
    reason: 'unknown_keys',
    message: `Your address has sent more than ${maxUnknown} invalid keys. Check which key your programs send.`,
    retryAfterSeconds: Math.ceil(((beyond + 1) * forgetMs) / 1_000),
  })
