/**
 * Reserves at usage-ledger the pages that a run is about to spend, and cloud pages if browsers render. It reserves
 * some in advance, so that most decisions need no request. The grant is the total since the run's start, so a process
 * that reads the run again learns it with its next request.
 */

import { hasNoPageLimit, limitsOf, type PageLimits, type Terms } from '@tidemark/contracts/limits'
import type { HoldUnits, HoldUnitsResponse } from '@tidemark/contracts/rpc/usage'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { type Allowance, unbounded } from '../domain/circumstances.ts'
import { type Coming, neededUnits } from '../domain/needed-units.ts'
import type { Queued, Running } from '../domain/run.ts'

export type Hold = (request: HoldUnits) => Promise<HoldUnitsResponse>
/** Returns the current terms of a project; null if they are unknown. */
export type FindTerms = (projectId: number) => Promise<Terms | null>

export type Allowances = { allowance: Allowance; cloudAllowance: Allowance }

/**
 * Number of units reserved in advance, so that not every batch needs a request. It is low, because other runs cannot
 * use reserved units.
 */
const ahead = { page: 128, cloud_page: 8 }

/**
 * Number of free results (failures and challenges) after which the run requests its allowance again. A project has a
 * daily limit of free results. They need no further units, so the run would otherwise not learn that the limit is
 * reached.
 */
const freeResultsBetween = 128

type Kind = keyof typeof ahead
const kinds = ['page', 'cloud_page'] as const
/**
 * `free` is the number of free results of the run at its last request. `isFreeSpent` is true if usage-ledger responded
 * that the project has reached its limit of free results.
 */
type GrantState = { granted: number; isWaiting: boolean; free: number; isFreeSpent: boolean }
type Needed = { wanted: number; limits: HoldUnits['limits'] }

const noGrant = (): GrantState => ({ granted: 0, isWaiting: false, free: 0, isFreeSpent: false })
const noGrants = (): Record<Kind, GrantState> => ({ page: noGrant(), cloud_page: noGrant() })

/** The run may order nothing more, and ends when no order is in flight. */
const noPagesLeft: Allowance = { pages: 0, isFinal: true }
const spent: Allowances = { allowance: noPagesLeft, cloudAllowance: noPagesLeft }

export class AllowanceKeeper {
  readonly #hold: Hold
  readonly #findTerms: FindTerms
  #grants = noGrants()
  /** Reopenings of the run at the last request. Its grants from before are released. */
  #reopenings = 0
  /** Allowances of the last decision. */
  #last: Record<Kind, Allowance> = { page: unbounded, cloud_page: unbounded }
  /** Whether the last decision needed more units than it had, and no order is in flight. */
  #lacksUnits = false

  constructor(hold: Hold, findTerms: FindTerms) {
    this.#hold = hold
    this.#findTerms = findTerms
  }

  /** Returns the allowances of a decision. While usage-ledger is away, these are the known grants. */
  async of(run: Queued | Running, coming: Coming): Promise<Allowances> {
    const reopenings = run.status === 'running' ? run.reopenings : 0
    if (reopenings !== this.#reopenings) this.#grants = noGrants()
    this.#reopenings = reopenings
    const { projectId, settings } = run
    const limits = limitsOf({
      ...((await this.#findTerms(projectId)) ?? termsAtStart(run)),
      ...narrowed(settings),
    })
    const wants = neededUnits(run, coming)
    const cappedPages = (wanted: number) => Math.min(settings.maxPages, wanted)
    const allowance = await this.#pagesOf(run, limits, cappedPages(wants.page))
    const cloudAllowance = await this.#cloudPagesOf(run, limits, cappedPages(wants.cloud_page))
    // Without cloud pages a run continues over plain HTTP, as at the cap of cloud pages.
    const allowed = allowance === noPagesLeft ? spent : { allowance, cloudAllowance }
    this.#last = { page: allowed.allowance, cloud_page: allowed.cloudAllowance }
    return allowed
  }

  /** Call it with the run after each decision. */
  decided(run: Running, window: number): void {
    const wants = neededUnits(run, { window, outcomes: [] })
    const isLacking = (kind: Kind) => !this.#last[kind].isFinal && wants[kind] > this.#last[kind].pages
    this.#lacksUnits = run.out === 0 && kinds.some(isLacking)
  }

  /**
   * Returns whether the last grant was less than wanted and may grow soon: other runs hold the rest, no response
   * came, or only the decision increased the demand, for example because a page changed its lane.
   */
  isWaiting(): boolean {
    return this.#lacksUnits || this.#grants.page.isWaiting || this.#grants.cloud_page.isWaiting
  }

  async #pagesOf(run: Queued | Running, limits: PageLimits, wanted: number): Promise<Allowance> {
    if (hasNoPageLimit(limits)) return unbounded
    const { pagesPerDay: perDay, pagesPerMonth: perMonth } = limits
    return this.#allowanceOf(run, 'page', { wanted, limits: { perDay, perMonth } })
  }

  async #cloudPagesOf(run: Queued | Running, limits: PageLimits, wanted: number): Promise<Allowance> {
    const { cloudPagesPerDay: perDay } = limits
    if (run.settings.render === undefined || perDay === null) return unbounded
    return this.#allowanceOf(run, 'cloud_page', { wanted, limits: { perDay, perMonth: null } })
  }

  async #allowanceOf(run: Queued | Running, kind: Kind, { wanted, limits }: Needed): Promise<Allowance> {
    const { projectId, runId, settings } = run
    const reopenings = this.#reopenings
    const grant = this.#grants[kind]
    grant.isWaiting = false
    const free = freeResultsOf(run)
    const isRecent = !grant.isFreeSpent && free - grant.free < freeResultsBetween
    if (grant.granted >= wanted && isRecent) return { pages: grant.granted, isFinal: false }
    const more = Math.min(settings.maxPages, wanted + ahead[kind])
    const upTo = grant.granted >= wanted ? grant.granted : more
    const optional = { ...(kind !== 'page' && { kind }), ...(reopenings > 0 && { reopenings }) }
    const response = await this.#hold({ projectId, runId, ...optional, upTo, limits }).catch(() => null)
    grant.free = free
    return allowedBy(grant, response, wanted)
  }
}

/** Records the response of usage-ledger; null: it did not respond. Returns what the run may spend. */
function allowedBy(grant: GrantState, response: HoldUnitsResponse | null, wanted: number): Allowance {
  grant.granted = Math.max(grant.granted, response?.granted ?? 0)
  if (response !== null) grant.isFreeSpent = response.reason === 'free_results'
  if (grant.isFreeSpent) return noPagesLeft
  const isFinal = response?.reason != null
  grant.isWaiting = grant.granted < wanted && !isFinal
  return { pages: grant.granted, isFinal }
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
