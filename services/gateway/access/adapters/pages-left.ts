/**
 * Provides the remaining pages of the day for every response. It requests them from usage-ledger at most every five
 * seconds per project. In between, it counts the pages that this gateway bills; the pages of crawls and of other
 * gateways are included in the next number of usage-ledger. It is information only: caps are enforced when units are
 * reserved.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { dayOf, secondsToMidnight } from '@tidemark/contracts/calendar'
import { limitsOf, type Terms } from '@tidemark/contracts/limits'
import type { Usage } from '../../metering/adapters/usage.ts'
import type { PagesLeft } from '../domain/rate-fields.ts'

type Project = Terms & { projectId: number }

export type PagesOfDay = {
  /**
   * Returns the remaining pages; null: there is no cap, or the number is unknown. It may wait a moment for usage-ledger.
   */
  read(project: Project): Promise<PagesLeft | null>
  /** Counts pages of a project that were billed. */
  bill(projectId: number, pages: number): void
  /** Records that a project was refused because its billed pages reach the cap. Reserved pages may be released. */
  exhaust(project: Project): void
}

/**
 * Lower bounds of the billed pages of a project. Each includes the pages that this gateway has billed since it received the
 * bound. The highest bound applies. Bounds are dropped after a while, so one that is too high is corrected.
 */
type Figure = {
  /** Time of the last number of usage-ledger. */
  at: number
  latest: number
  /** The number before the latest one, which may lack pages that were billed just before its response. */
  previous: number
  /** The cap that a refused request has reached; null: none was refused lately. */
  reached: { pages: number; at: number } | null
}
/** The last number of a project. `refreshed` settles with the response of usage-ledger, or after a short time. */
type Known = { day: string; requestedAt: number; figure: Figure | null; refreshed: Promise<unknown> }

const refreshAfterMs = 5_000
/** Milliseconds for which a number is used if usage-ledger does not respond. Older ones are too imprecise. */
const maxFigureAgeMs = 60_000
const maxRefreshWaitMs = 50
const maxCached = 10_000
const settled = Promise.resolve()

/** @param now milliseconds since 1970 */
export function pagesLeftBy(readUsage: Usage['readUsage'], now: () => number): PagesOfDay {
  const known = new Map<number, Known>()

  function ofToday(projectId: number): Known | undefined {
    const last = known.get(projectId)
    return last?.day === dayOf(now()) ? last : undefined
  }

  function knownOf(projectId: number): Known {
    const last = ofToday(projectId)
    if (last !== undefined && now() - last.requestedAt < refreshAfterMs) return last
    const figure = last?.figure ?? null
    const next: Known = { day: dayOf(now()), requestedAt: now(), figure, refreshed: settled }
    next.refreshed = Promise.race([refresh(next, projectId), sleep(maxRefreshWaitMs)])
    known.delete(projectId)
    known.set(projectId, next)
    const [oldest] = known.keys()
    if (known.size > maxCached && oldest !== undefined) known.delete(oldest)
    return next
  }

  async function refresh(known: Known, projectId: number): Promise<void> {
    const usage = await readUsage(projectId, known.day).catch(() => null)
    if (usage === null) return
    const { latest: previous = 0, reached = null } = known.figure ?? {}
    // The response may be older than a refusal of the last seconds.
    const isRecent = reached !== null && known.requestedAt - reached.at < refreshAfterMs
    known.figure = { at: now(), latest: usage.today.pages, previous, reached: isRecent ? reached : null }
  }

  return {
    async read(project) {
      const { pagesPerDay: cap } = limitsOf(project)
      if (cap === null) return null
      const last = knownOf(project.projectId)
      if (last.figure === null || now() - last.figure.at >= refreshAfterMs) await last.refreshed
      const { figure } = last
      if (figure === null || now() - figure.at >= maxFigureAgeMs) return null
      return { cap, remaining: cap - pagesOf(figure), resetSeconds: secondsToMidnight(now()) }
    },
    bill(projectId, pages) {
      const figure = ofToday(projectId)?.figure
      if (!figure) return
      figure.latest += pages
      figure.previous += pages
      if (figure.reached !== null) figure.reached.pages += pages
    },
    exhaust(project) {
      const { pagesPerDay } = limitsOf(project)
      const figure = ofToday(project.projectId)?.figure
      if (!figure || pagesPerDay === null) return
      figure.reached = { pages: Math.max(pagesPerDay, figure.reached?.pages ?? 0), at: now() }
    },
  }
}

const pagesOf = ({ latest, previous, reached }: Figure): number =>
  Math.max(latest, previous, reached?.pages ?? 0)
