/**
 * Bounds the look-ups of keys that a gateway does not know yet. A client address has a limited number of look-ups of
 * invalid keys, and few keys are looked up at once, one of each address in turn. So an attacker who guesses keys is
 * refused soon, and a customer at another address waits for at most one look-up per address, however many keys they
 * try.
 */

import { networkOf } from '@tidemark/contracts/client-network'
import type { KeyView } from '@tidemark/contracts/rpc/accounts'
import { ApiProblem } from '../../http/domain/problem.ts'

const maxLookUps = 8
/** Invalid keys by address; one is dropped each second. */
const maxUnknown = 60
const forgetMs = 1_000
/** Shared by all addresses that wait, and each may have one in line. */
const maxInLine = 10_000
const maxOrigins = 10_000

type Origin = {
  /** Number of invalid keys at the time `at`; it falls by one each second. */
  unknown: number
  at: number
  /** Look-ups under way and in line. */
  pending: number
  line: (() => void)[]
}

/** Throws `ApiProblem`: `too_many_requests` for an address at its bound, `unavailable` for one with too many in line. */
export type LookUpInTurn = (
  clientIp: string,
  find: () => Promise<KeyView | null>,
  opens: (key: KeyView | null) => boolean,
) => Promise<KeyView | null>

/** @param now milliseconds of any clock that never goes back */
export function fairLookUps(now: () => number): LookUpInTurn {
  const origins = new Map<string, Origin>()
  /** Addresses that have something in line, in their order. */
  const waiting: Origin[] = []
  let underWay = 0

  return async (clientIp, find, opens) => {
    const origin = originOf(networkOf(clientIp))
    const beyond = origin.unknown + origin.pending - maxUnknown
    if (beyond >= 0) throw tooManyUnknown(beyond)
    if (origin.line.length >= Math.max(1, maxInLine / (waiting.length + 1)))
      throw new ApiProblem('unavailable')
    origin.pending++
    try {
      await itsTurn(origin)
      const key = await find().finally(giveTurn)
      if (!opens(key)) origin.unknown++
      return key
    } finally {
      origin.pending--
    }
  }

  function originOf(network: string): Origin {
    const at = now()
    const origin = origins.get(network) ?? { unknown: 0, at, pending: 0, line: [] }
    origin.unknown = Math.max(0, origin.unknown - (at - origin.at) / forgetMs)
    origin.at = at
    origins.delete(network)
    const [oldest] = origins
    if (origins.size >= maxOrigins && oldest?.[1].pending === 0) origins.delete(oldest[0])
    origins.set(network, origin)
    return origin
  }

  async function itsTurn(origin: Origin): Promise<void> {
    if (underWay < maxLookUps) {
      underWay++
      return
    }
    await new Promise<void>(resolve => {
      if (origin.line.push(resolve) === 1) waiting.push(origin)
    })
  }

  function giveTurn(): void {
    const origin = waiting.shift()
    if (origin === undefined) {
      underWay--
      return
    }
    origin.line.shift()?.()
    if (origin.line.length > 0) waiting.push(origin)
  }
}

const tooManyUnknown = (beyond: number) =>
  new ApiProblem('too_many_requests', {
    reason: 'unknown_keys',
    message: `More than ${maxUnknown} keys that are not valid came from your address. Check which key your programs send.`,
    retryAfterSeconds: Math.max(1, Math.ceil(((beyond + 1) * forgetMs) / 1_000)),
  })
