/**
 * Computes the number of units of each kind that a run may have spent after the next decision. The run reserves them
 * before that decision.
 */
import type { UnitKind } from '@tidemark/contracts/usage'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { Decision } from './circumstances.ts'
import { plainRechecks } from './recheck.ts'
import { plainOut, type Queued, type Running, spentBy } from './run.ts'

/** Inputs of the next decision: the maximum number of orders in flight, and the outcomes to settle. */
export type Coming = { window: number; outcomes: readonly Outcome[] }

/** Maximum number of waiting pages that count, by kind. */
const maxWaiting = { page: 128, cloud_page: 16 }

/**
 * Returns the units that are spent, in flight, reserved for second requests, and those that may be ordered next. Each
 * outcome may lead to one more.
 */
export function neededUnits(run: Queued | Running, { window, outcomes }: Coming): Record<UnitKind, number> {
  const rendersAll = run.settings.render === 'always'
  if (run.status === 'queued') return rendersAll ? { page: 0, cloud_page: 1 } : { page: 1, cloud_page: 0 }
  const { pending, out, storedOut, rendering, rechecks } = run
  const spent = spentBy(run)
  const free = Math.max(0, window - out)
  const next = (kind: UnitKind, waiting: number) => Math.min(maxWaiting[kind], free, Math.max(0, waiting))
  const plainHeld = plainOut(run) + plainRechecks(rechecks)
  const renderedHeld = rendering.out + rechecks.rendered.size
  const news = outcomes.length
  const shells = outcomes.filter(outcome => outcome.type === 'page' && outcome.isScriptOnly).length
  return {
    page:
      spent.page +
      plainHeld +
      next('page', pending.size - rendering.pending - storedOut - plainHeld) +
      (rendersAll ? 0 : news),
    cloud_page:
      spent.cloud_page +
      renderedHeld +
      next('cloud_page', rendering.pending - renderedHeld) +
      (rendersAll ? Math.min(news, maxWaiting.cloud_page) : shells),
  }
}

/** Returns the number of pages that may still be ordered over plain HTTP within the project's quota. */
export const plainLeftOf = ({ run, allowance }: Pick<Decision, 'run' | 'allowance'>): number =>
  allowance.pages - spentBy(run).page - plainOut(run) - plainRechecks(run.rechecks)
