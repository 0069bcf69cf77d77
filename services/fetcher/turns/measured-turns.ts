/** Turns, with how long was waited for each. */
import { histogram } from '@tidemark/telemetry/metrics'
import type { TakeTurn } from './turns.ts'

/** @param lane what the turns are for, as metrics name it */
export function measuredTurns(takeTurn: TakeTurn, lane: string): TakeTurn {
  const waited = histogram('tidemark.host.wait.seconds')
  return async wanted => {
    const startedAt = performance.now()
    const turn = await takeTurn(wanted)
    waited((performance.now() - startedAt) / 1_000, { lane })
    return turn
  }
}
