/**
 * Reserves at usage-ledger the pages that a run is about to spend, and cloud pages if browsers render. It reserves
 * some in advance, so that most decisions need no request. The grant is the total since the run's start, so a process
 * that reads the run again learns it with its next request.
 */

import { hasNoPageLimit, limitsOf, type PageLimits, type Terms } from '@tidemark/contracts/limits'
import type { HoldUnits, HoldUnitsAnswer } from '@tidemark/contracts/rpc/usage'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { type Allowance, unbounded } from '../domain/circumstances.ts'
import { type Coming, neededUnits } from '../domain/needed-units.ts'
import type { Queued, Running } from '../domain/run.ts'

export type Hold = (question: HoldUnits) => Promise<HoldUnitsAnswer>
/** Returns the current terms of a project; null if they are unknown. */
export type FindTerms = (projectId: number) => Promise<Terms | null>

export type Allowances = { allowance: Allowance; cloudAllowance: Allowance }

export type AllowanceKeeper = {
  /** Returns the allowances of a decision. While usage-ledger is away, these are the known grants. */
  of(run: Queued | Running, coming: Coming): Promise<Allowances>
  /** Call it with the run after each decision. */
  decided(run: Running, window: number): void
  /**
   * Returns whether the last grant was less than wanted and may grow soon: other runs hold the rest, no response
   * came, or only the decision increased the demand, for example because a page changed its lane.
   */
  isWaiting(): boolean
}

/**
 * Number of units reserved in advance, so that not every batch needs a request. It is low, because other runs cannot
 * use reserved units.
 */
const ahead = { page: 128, cloud_page: 8 }

/**
 * Number of free results (failures and challenges) after which the run requests its allowance again, because a project has a
 * daily limit of them. Free results need no further units, so the run would not learn otherwise that it is reached.
 */
const freeResultsBetween = 128

type Kind = keyof typeof ahead
const kinds = ['page', 'cloud_page'] as const
/**
 * `free` is the number of free results of the run at its last request. `isFreeSpent`: its response was that the project has
 * had too many of them.
 */
type Granting = { granted: number; isWaiting: boolean; free: number; isFreeSpent: boolean }
type Asked = { wanted: number; limits: HoldUnits['limits'] }

const nothingKnown: Granting = { granted: 0, isWaiting: false, free: 0, isFreeSpent: false }
const noGrants = (): Record<Kind, Granting> => ({
  page: { ...nothingKnown },
  cloud_page: { ...nothingKnown },
})

/** The run may order nothing more, and ends when no order is in flight. */
const nothingMore: Allowance = { pages: 0, isFinal: true }
const spent: Allowances = { allowance: nothingMore, cloudAllowance: nothingMore }

export function allowanceKeeper(hold: Hold, findTerms: FindTerms): AllowanceKeeper {
  let known = noGrants()
  /** Reopenings of the run at the last request. Its grants from before are released. */
  let reopenings = 0
  let last: Record<Kind, Allowance> = { page: unbounded, cloud_page: unbounded }
  let isShort = false

  async function ask(run: Queued | Running, kind: Kind, { wanted, limits }: Asked) {
    const { projectId, runId, settings } = run
    const granting = known[kind]
    granting.isWaiting = false
    const free = freeResultsOf(run)
    const isRecent = !granting.isFreeSpent && free - granting.free < freeResultsBetween
    if (granting.granted >= wanted && isRecent) return { pages: granting.granted, isFinal: false }
    const more = Math.min(settings.maxPages, wanted + ahead[kind])
    const upTo = granting.granted >= wanted ? granting.granted : more
    const optional = { ...(kind !== 'page' && { kind }), ...(reopenings > 0 && { reopenings }) }
    const answer = await hold({ projectId, runId, ...optional, upTo, limits }).catch(() => null)
    granting.free = free
    return allowedBy(granting, answer, wanted)
  }

  async function pagesOf(run: Queued | Running, limits: PageLimits, wanted: number): Promise<Allowance> {
    if (hasNoPageLimit(limits)) return unbounded
    const { pagesPerDay: perDay, pagesPerMonth: perMonth } = limits
    return ask(run, 'page', { wanted, limits: { perDay, perMonth } })
  }

  async function cloudPagesOf(run: Queued | Running, limits: PageLimits, wanted: number): Promise<Allowance> {
    const { cloudPagesPerDay: perDay } = limits
    if (run.settings.render === undefined || perDay === null) return unbounded
    return ask(run, 'cloud_page', { wanted, limits: { perDay, perMonth: null } })
  }

  return {
    async of(run, coming) {
      const reopeningsNow = run.status === 'running' ? run.reopenings : 0
      if (reopeningsNow !== reopenings) known = noGrants()
      reopenings = reopeningsNow
      const { projectId, settings } = run
      const limits = limitsOf({
        ...((await findTerms(projectId)) ?? termsAtStart(run)),
        ...narrowed(settings),
      })
      const wants = neededUnits(run, coming)
      const most = (wanted: number) => Math.min(settings.maxPages, wanted)
      const allowance = await pagesOf(run, limits, most(wants.page))
      const cloudAllowance = await cloudPagesOf(run, limits, most(wants.cloud_page))
      // Without cloud pages a run continues over plain HTTP, as at the cap of cloud pages.
      const allowed = allowance === nothingMore ? spent : { allowance, cloudAllowance }
      last = { page: allowed.allowance, cloud_page: allowed.cloudAllowance }
      return allowed
    },
    decided(run, window) {
      const wants = neededUnits(run, { window, outcomes: [] })
      isShort = run.out === 0 && kinds.some(kind => !last[kind].isFinal && wants[kind] > last[kind].pages)
    },
    isWaiting: () => isShort || known.page.isWaiting || known.cloud_page.isWaiting,
  }
}

/** Records the response of usage-ledger; null: it gave none. Returns what the run may spend. */
function allowedBy(granting: Granting, answer: HoldUnitsAnswer | null, wanted: number): Allowance {
  granting.granted = Math.max(granting.granted, answer?.granted ?? 0)
  if (answer !== null) granting.isFreeSpent = answer.reason === 'free_results'
  if (granting.isFreeSpent) return nothingMore
  const isFinal = answer?.reason != null
  granting.isWaiting = granting.granted < wanted && !isFinal
  return { pages: granting.granted, isFinal }
}

const freeResultsOf = (run: Queued | Running): number =>
  run.status === 'running' ? run.blocked + run.counts.failed : 0

const termsAtStart = ({ tier, settings: { unlimited, caps } }: Queued | Running): Terms => ({
  tier,
  ...(unlimited && { unlimited }),
  ...(caps && { caps }),
})

/** Returns the limits of the API key that started the run, which apply until its end. */
const narrowed = ({ keyCaps }: RunSettings) => keyCaps && { keyCaps }
