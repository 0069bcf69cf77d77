/**
 * Provides the remaining pages of the day for every response. It requests them from usage-ledger in the background, at
 * most every five seconds per project. Responses contain the last known number. It is information only: caps are
 * enforced when units are reserved.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { dayOf, secondsToMidnight } from '@tidemark/contracts/calendar'
import { limitsOf, type Terms } from '@tidemark/contracts/limits'
import type { Usage } from '../../metering/adapters/usage.ts'
import type { PagesLeft } from '../domain/rate-fields.ts'

type Figure = { pages: number; at: number }
/** The last number of a project. `asked` settles with the response of usage-ledger, or after a short time. */
type Known = { day: string; askedAt: number; figure: Figure | null; asked: Promise<unknown> }

const askAgainMs = 5_000
/** Milliseconds for which a number is used while it is updated. Older ones are too imprecise. */
const tellMs = 60_000
const patienceMs = 50
const maxRemembered = 10_000

/**
 * Returns a function that returns the remaining pages; null: there is no cap, or the number is unknown.
 * @param now milliseconds since 1970
 */
export function pagesLeftBy(readUsage: Usage['readUsage'], now: () => number) {
  const known = new Map<number, Known>()

  function knownOf(projectId: number): Known {
    const day = dayOf(now())
    const last = known.get(projectId)
    const ofToday = last?.day === day ? last : undefined
    if (ofToday !== undefined && now() - ofToday.askedAt < askAgainMs) return ofToday
    const next: Known = { day, askedAt: now(), figure: ofToday?.figure ?? null, asked: Promise.resolve() }
    next.asked = Promise.race([refresh(next, projectId), sleep(patienceMs)])
    known.delete(projectId)
    known.set(projectId, next)
    const [oldest] = known.keys()
    if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest)
    return next
  }

  async function refresh(known: Known, projectId: number): Promise<void> {
    const usage = await readUsage(projectId, known.day).catch(() => null)
    if (usage !== null) known.figure = { pages: usage.today.pages, at: now() }
  }

  const figureOf = ({ figure }: Known) => (figure !== null && now() - figure.at < tellMs ? figure : null)

  return async ({ projectId, ...terms }: Terms & { projectId: number }): Promise<PagesLeft | null> => {
    const cap = limitsOf(terms).pagesPerDay
    if (cap === null) return null
    const known = knownOf(projectId)
    if (figureOf(known) === null) await known.asked
    const figure = figureOf(known)
    return figure && { cap, remaining: cap - figure.pages, resetSeconds: secondsToMidnight(now()) }
  }
}
