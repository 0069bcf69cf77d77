/**
 * Asks usage-ledger for the pages that a run is about to spend, some ahead, so that most decisions wait for nobody.
 * What it was granted counts from the run's beginning, so whoever reads the run anew learns it by asking again.
 */
import type { HoldUnits, HoldUnitsAnswer } from '@tidemark/contracts/ask/usage'
import { hasNoPageLimit, limitsOf, type Terms } from '@tidemark/contracts/limits'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { type Allowance, unbounded } from '../domain/decision.ts'
import { type Queued, type Running, spentBy } from '../domain/run.ts'

export type Hold = (question: HoldUnits) => Promise<HoldUnitsAnswer>
/** On which terms a project is served now; null where nobody can tell. */
export type FindTerms = (projectId: number) => Promise<Terms | null>

export type AllowanceKeeper = {
  /**
   * For a decision that may have so many pages out, and has heard of so many new ones. While usage-ledger is away it is
   * what is known to be granted.
   */
  of(run: Queued | Running, window: number, news: number): Promise<Allowance>
  /** Whether the last one was less than was wanted, and may be more soon: others hold the rest, or nobody answered. */
  isWaiting(): boolean
}

/** So many are asked for ahead of what goes out next, that not every batch asks; and no more, for others cannot have them. */
const ahead = 128

export function allowanceKeeper(hold: Hold, findTerms: FindTerms): AllowanceKeeper {
  let granted = 0
  let isWaiting = false

  return {
    async of(run, window, news) {
      isWaiting = false
      const { projectId, runId, settings } = run
      const limits = limitsOf({
        ...((await findTerms(projectId)) ?? termsAtStart(run)),
        ...narrowed(settings),
      })
      if (hasNoPageLimit(limits)) return unbounded
      const wanted = Math.min(settings.maxPages, wantedBy(run, window) + news)
      if (granted >= wanted) return { pages: granted, isFinal: false }
      const upTo = Math.min(settings.maxPages, wanted + ahead)
      const { pagesPerDay: perDay, pagesPerMonth: perMonth } = limits
      const answer = await hold({ projectId, runId, upTo, limits: { perDay, perMonth } }).catch(() => null)
      granted = Math.max(granted, answer?.granted ?? 0)
      const isFinal = answer?.reason != null
      isWaiting = granted < wanted && !isFinal
      return { pages: granted, isFinal }
    },
    isWaiting: () => isWaiting,
  }
}

const termsAtStart = ({ tier, settings: { unlimited, caps } }: Queued | Running): Terms => ({
  tier,
  ...(unlimited && { unlimited }),
  ...(caps && { caps }),
})

/** What the key may spend that asked for the run holds to its end. */
const narrowed = ({ keyCaps }: RunSettings) => keyCaps && { keyCaps }

/** What is spent and out, and what may go out in this decision: of what it knows no more than some. */
function wantedBy(run: Queued | Running, window: number): number {
  if (run.status === 'queued') return 1
  const { pending, out } = run
  return spentBy(run) + out + Math.max(0, Math.min(ahead, window - out, pending.size - out))
}
