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

type Kind = keyof typeof ahead
const kinds = ['page', 'cloud_page'] as const
type Granting = { granted: number; isWaiting: boolean }
type Asked = { wanted: number; limits: HoldUnits['limits'] }

export function allowanceKeeper(hold: Hold, findTerms: FindTerms): AllowanceKeeper {
  const known: Record<Kind, Granting> = {
    page: { granted: 0, isWaiting: false },
    cloud_page: { granted: 0, isWaiting: false },
  }
  let last: Record<Kind, Allowance> = { page: unbounded, cloud_page: unbounded }
  let isShort = false

  async function ask(
    { projectId, runId, settings }: Queued | Running,
    kind: Kind,
    { wanted, limits }: Asked,
  ) {
    const granting = known[kind]
    granting.isWaiting = false
    if (granting.granted >= wanted) return { pages: granting.granted, isFinal: false }
    const upTo = Math.min(settings.maxPages, wanted + ahead[kind])
    const some = kind === 'page' ? {} : { kind }
    const answer = await hold({ projectId, runId, ...some, upTo, limits }).catch(() => null)
    granting.granted = Math.max(granting.granted, answer?.granted ?? 0)
    const isFinal = answer?.reason != null
    granting.isWaiting = granting.granted < wanted && !isFinal
    return { pages: granting.granted, isFinal }
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
      const { projectId, settings } = run
      const limits = limitsOf({
        ...((await findTerms(projectId)) ?? termsAtStart(run)),
        ...narrowed(settings),
      })
      const wants = neededUnits(run, coming)
      const most = (wanted: number) => Math.min(settings.maxPages, wanted)
      const allowance = await pagesOf(run, limits, most(wants.page))
      const cloudAllowance = await cloudPagesOf(run, limits, most(wants.cloud_page))
      last = { page: allowance, cloud_page: cloudAllowance }
      return { allowance, cloudAllowance }
    },
    decided(run, window) {
      const wants = neededUnits(run, { window, outcomes: [] })
      isShort = run.out === 0 && kinds.some(kind => !last[kind].isFinal && wants[kind] > last[kind].pages)
    },
    isWaiting: () => isShort || known.page.isWaiting || known.cloud_page.isWaiting,
  }
}

const termsAtStart = ({ tier, settings: { unlimited, caps } }: Queued | Running): Terms => ({
  tier,
  ...(unlimited && { unlimited }),
  ...(caps && { caps }),
})

/** Returns the limits of the API key that started the run, which apply until its end. */
const narrowed = ({ keyCaps }: RunSettings) => keyCaps && { keyCaps }
