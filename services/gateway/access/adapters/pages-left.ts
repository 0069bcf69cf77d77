/**
 * Provides the remaining pages of the day for every response. It requests them from usage-ledger at most every five
 * seconds per project. In between, it counts the pages that this gateway bills; those of crawls and of other gateways
 * follow with the next number. It is information only: caps are enforced when units are reserved.
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
  /** Records that a project was refused because its pages are used up. */
  exhaust(project: Project): void
}

type Figure = { pages: number; at: number }
/** The last number of a project. `asked` settles with the response of usage-ledger, or after a short time. */
type Known = {
  day: string
  requestedAt: number
  figure: Figure | null
  /** Time of the last change by this gateway, which a response of usage-ledger may lack. */
  changedAt: number
  refreshed: Promise<unknown>
}

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
    const { figure, changedAt } = last ?? { figure: null, changedAt: Number.NEGATIVE_INFINITY }
    const next: Known = { day: dayOf(now()), requestedAt: now(), figure, changedAt, refreshed: settled }
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
    const { pages } = usage.today
    const isChanged = now() - known.changedAt < refreshAfterMs
    known.figure = { pages: isChanged ? Math.max(pages, known.figure?.pages ?? 0) : pages, at: now() }
  }

  function change(projectId: number, pagesOf: (pages: number) => number): void {
    const last = ofToday(projectId)
    if (last === undefined || last.figure === null) return
    last.figure = { ...last.figure, pages: pagesOf(last.figure.pages) }
    last.changedAt = now()
  }

  return {
    async read(project) {
      const { pagesPerDay: cap } = limitsOf(project)
      if (cap === null) return null
      const last = knownOf(project.projectId)
      if (last.figure === null || now() - last.figure.at >= refreshAfterMs) await last.refreshed
      const { figure } = last
      if (figure === null || now() - figure.at >= maxFigureAgeMs) return null
      return { cap, remaining: cap - figure.pages, resetSeconds: secondsToMidnight(now()) }
    },
    bill(projectId, pages) {
      if (pages > 0) change(projectId, before => before + pages)
    },
    exhaust(project) {
      const { pagesPerDay } = limitsOf(project)
      if (pagesPerDay !== null) change(project.projectId, before => Math.max(before, pagesPerDay))
    },
  }
}
