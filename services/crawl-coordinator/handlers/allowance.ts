/**
 * Asks usage-ledger for the pages that a run is about to spend, some ahead, so that most decisions wait for nobody.
 * What it was granted counts from the run's beginning, so whoever reads the run anew learns it by asking again.
 */
import type { HoldUnits, HoldUnitsAnswer } from '@tidemark/contracts/ask/usage'
import { tiers } from '@tidemark/contracts/tiers'
import { type Allowance, unbounded } from '../domain/decision.ts'
import { type Known, spentBy } from '../domain/run.ts'

export type Hold = (question: HoldUnits) => Promise<HoldUnitsAnswer>

export type AllowanceKeeper = {
  /** For a decision that may order so many pages. While usage-ledger is away it is what is known to be granted. */
  of(run: Known, more: number): Promise<Allowance>
  /** Whether the last one was less than was wanted only because nobody answered. */
  isUnanswered(): boolean
}

/** So many are asked for at once at the least. */
const chunk = 64

export function allowanceKeeper(hold: Hold): AllowanceKeeper {
  let granted = 0
  let isUnanswered = false

  return {
    async of(run, more) {
      isUnanswered = false
      if (run.settings.unlimited) return unbounded
      const { projectId, runId, tier, settings } = run
      const wanted = Math.min(settings.maxPages, usedBy(run) + more)
      if (granted >= wanted) return { pages: granted, isFinal: false }
      const upTo = Math.min(settings.maxPages, Math.ceil(wanted / chunk) * chunk)
      const { pagesPerDay: perDay, pagesPerMonth: perMonth } = tiers[tier]
      const answer = await hold({ projectId, runId, upTo, limits: { perDay, perMonth } }).catch(() => null)
      isUnanswered = answer === null
      granted = Math.max(granted, answer?.granted ?? 0)
      return { pages: granted, isFinal: answer !== null && answer.granted < wanted }
    },
    isUnanswered: () => isUnanswered,
  }
}

const usedBy = (run: Known): number => (run.status === 'running' ? spentBy(run) + run.out : 0)
