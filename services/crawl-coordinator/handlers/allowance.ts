/**
 * Asks usage-ledger for the pages that a run is about to spend, some ahead, so that most decisions wait for nobody; and
 * for cloud pages, where browsers render. What it was granted counts from the run's beginning, so whoever reads the run
 * anew learns it by asking again.
 */
import type { HoldUnits, HoldUnitsAnswer } from '@tidemark/contracts/ask/usage'
import { hasNoPageLimit, limitsOf, type PageLimits, type Terms } from '@tidemark/contracts/limits'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { type Allowance, unbounded } from '../domain/decision.ts'
import type { Queued, Running } from '../domain/run.ts'
import { type Coming, wantsOf } from '../domain/wants.ts'

export type Hold = (question: HoldUnits) => Promise<HoldUnitsAnswer>
/** On which terms a project is served now; null where nobody can tell. */
export type FindTerms = (projectId: number) => Promise<Terms | null>

export type Allowances = { allowance: Allowance; cloudAllowance: Allowance }

export type AllowanceKeeper = {
  /** For a decision. While usage-ledger is away it is what is known to be granted. */
  of(run: Queued | Running, coming: Coming): Promise<Allowances>
  /** To be told what a decision made of the run. */
  decided(run: Running, window: number): void
  /**
   * Whether the last one was less than was wanted, and may be more soon: others hold the rest, nobody answered, or only
   * the decision made it so, as where a page has to change its lane and nothing else is on its way.
   */
  isWaiting(): boolean
}

/** So many are asked for ahead of what goes out next, that not every batch asks; and no more, for others cannot have them. */
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
      const wants = wantsOf(run, coming)
      const most = (wanted: number) => Math.min(settings.maxPages, wanted)
      const allowance = await pagesOf(run, limits, most(wants.page))
      const cloudAllowance = await cloudPagesOf(run, limits, most(wants.cloud_page))
      last = { page: allowance, cloud_page: cloudAllowance }
      return { allowance, cloudAllowance }
    },
    decided(run, window) {
      const wants = wantsOf(run, { window, outcomes: [] })
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

/** What the key may spend that asked for the run holds to its end. */
const narrowed = ({ keyCaps }: RunSettings) => keyCaps && { keyCaps }
