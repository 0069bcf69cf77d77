/** Tells how much the runs that this process keeps have before them. */
import { gauge } from '@tidemark/telemetry/metrics'
import type { Shards } from './shards.ts'

/** Until it is disposed of. */
export function measureFrontiers({ keepers }: Pick<Shards, 'keepers'>): Disposable {
  const measuring = new DisposableStack()
  const frontiers = () => [...keepers()].flatMap(keeper => keeper.frontier() ?? [])
  measuring.use(gauge('tidemark.runs.active', tell => tell(frontiers().length, {})))
  measuring.use(
    gauge('tidemark.frontier.urls', tell => {
      const sum = { known: 0, waiting: 0, ordered: 0 }
      for (const { known, waiting, ordered } of frontiers()) {
        sum.known += known
        sum.waiting += waiting
        sum.ordered += ordered
      }
      for (const [state, urls] of Object.entries(sum)) tell(urls, { state })
    }),
  )
  return measuring
}
