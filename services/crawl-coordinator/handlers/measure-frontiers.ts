/** Measures the frontiers of the runs of this process: known, waiting and ordered URLs. */
import { gauge } from '@tidemark/telemetry/metrics'
import type { Shards } from './shards.ts'

/** Registers the metrics until disposed. */
export function measureFrontiers(shards: Pick<Shards, 'keepers'>): Disposable {
  const measuring = new DisposableStack()
  const frontiers = () => [...shards.keepers()].flatMap(({ frontier }) => frontier ?? [])
  measuring.use(gauge('tidemark.runs.active', emit => emit(frontiers().length, {})))
  measuring.use(
    gauge('tidemark.frontier.urls', emit => {
      const sum = { known: 0, waiting: 0, ordered: 0 }
      for (const { known, waiting, ordered } of frontiers()) {
        sum.known += known
        sum.waiting += waiting
        sum.ordered += ordered
      }
      for (const [state, urls] of Object.entries(sum)) emit(urls, { state })
    }),
  )
  return measuring
}
