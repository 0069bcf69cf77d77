/**
 * Whether the end of a run is told, as which event, or why not: once a run, from what was asked for when it was
 * queued and from how it ended. What compares a run with the one before adds its rows here.
 */
import type { WebhookEvent } from '@tidemark/contracts/run-settings'

/** What a run's first event says of its webhook. */
export type Wanted = {
  events: readonly WebhookEvent[]
  onlyChanged: boolean
  /** Started by a monitor. */
  isMonitored: boolean
  /** Of the tick before; null for the first run of a chain. */
  previousRunId: number | null
}

export type Ending = 'done' | 'failed' | 'cancelled'
export type Decision = { event: WebhookEvent; state: 'pending' | 'suppressed_no_baseline' }

type Rule = { holds: (wanted: Wanted, ending: Ending) => boolean; decision: Decision | null }

/** The first that holds decides. */
const rules: Rule[] = [
  { holds: (_, ending) => ending === 'cancelled', decision: null },
  // Whatever is subscribed and suppressed: a monitor that fails in silence is worse than one call too many.
  { holds: (_, ending) => ending === 'failed', decision: { event: 'crawl.done', state: 'pending' } },
  { holds: isFirstOfChain, decision: { event: 'crawl.done', state: 'suppressed_no_baseline' } },
  {
    holds: ({ events }) => events.includes('crawl.done'),
    decision: { event: 'crawl.done', state: 'pending' },
  },
]

/** Null when nothing is told and nothing is held back: a cancelled run, or an event that nobody asked for. */
export const decide = (wanted: Wanted, ending: Ending): Decision | null =>
  rules.find(({ holds }) => holds(wanted, ending))?.decision ?? null

function isFirstOfChain({ onlyChanged, isMonitored, previousRunId }: Wanted): boolean {
  return onlyChanged && isMonitored && previousRunId === null
}
