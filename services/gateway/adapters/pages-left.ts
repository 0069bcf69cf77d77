/**
 * What is left of the day's pages, as told in every answer: asked of usage-ledger at most once in a few seconds a
 * project. It informs only: caps are kept where units are reserved.
 */
import type { ReadUsageAnswer } from '@tidemark/contracts/ask/usage'
import { dayOf, secondsToMidnight } from '@tidemark/contracts/calendar'
import type { Tier } from '@tidemark/contracts/primitives'
import { tiers } from '@tidemark/contracts/tiers'
import type { PagesLeft } from '../domain/rate-fields.ts'

type Known = { used: Promise<number | null>; askedAt: number; day: string }

const rememberMs = 5_000
const mostRemembered = 10_000

/** @param now Epoch milliseconds. */
export function pagesLeftBy(
  readUsage: (projectId: number, day: string) => Promise<ReadUsageAnswer>,
  now: () => number,
) {
  const known = new Map<number, Known>()

  function usedOf(projectId: number): Promise<number | null> {
    const day = dayOf(now())
    const last = known.get(projectId)
    if (last !== undefined && last.day === day && now() - last.askedAt < rememberMs) return last.used
    const used = readUsage(projectId, day).then(
      ({ today }) => today.pages,
      () => null,
    )
    known.delete(projectId)
    known.set(projectId, { used, askedAt: now(), day })
    const [oldest] = known.keys()
    if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest)
    return used
  }

  return async ({ projectId, tier }: { projectId: number; tier: Tier }): Promise<PagesLeft | null> => {
    const cap = tiers[tier].pagesPerDay
    if (cap === null) return null
    const used = await usedOf(projectId)
    return used === null ? null : { cap, remaining: cap - used, resetSeconds: secondsToMidnight(now()) }
  }
}
