/** How many units of each kind a run may have spent once a decision's orders are out: what it asks room for before. */
import type { UnitKind } from '@tidemark/contracts/usage'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { type Queued, type Running, spentBy } from './run.ts'

/** What a decision will know: how many orders the run may have out, and what has come back. */
export type Coming = { window: number; outcomes: readonly Outcome[] }

/** Of what waits to be ordered no more than so many count. */
const most = { page: 128, cloud_page: 16 }

/** What is spent and out, and what may go out next; of what has come back each may lead to one more. */
export function wantsOf(run: Queued | Running, { window, outcomes }: Coming): Record<UnitKind, number> {
  const rendersAll = run.settings.render === 'always'
  if (run.status === 'queued') return rendersAll ? { page: 0, cloud_page: 1 } : { page: 1, cloud_page: 0 }
  const { pending, out, rendering } = run
  const spent = spentBy(run)
  const free = Math.max(0, window - out)
  const next = (kind: UnitKind, waiting: number) => Math.min(most[kind], free, Math.max(0, waiting))
  const plainOut = out - rendering.out
  const news = outcomes.length
  const shells = outcomes.filter(outcome => outcome.type === 'page' && outcome.isScriptOnly).length
  return {
    page:
      spent.page +
      plainOut +
      next('page', pending.size - rendering.pending - plainOut) +
      (rendersAll ? 0 : news),
    cloud_page:
      spent.cloud_page +
      rendering.out +
      next('cloud_page', rendering.pending - rendering.out) +
      (rendersAll ? Math.min(news, most.cloud_page) : shells),
  }
}
