/**
 * Whether the end of a run is told, as which event, or why not: once a run, from what was asked for when it was
 * queued, from how it ended and, where that is asked for, from what has changed since the run before.
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

/** `empty` is done, though a limit ended it before its first page. */
export type Ending = 'done' | 'empty' | 'failed' | 'cancelled'
export type Suppressed = 'suppressed_no_baseline' | 'suppressed_no_change'
export type Decision = { event: WebhookEvent; state: 'pending' | Suppressed }

/** Pages that were added, removed or changed; null when nobody can say. */
export type Changes = number | null

/** It depends on the difference, which is not known yet. */
export const toBeCompared = 'to be compared'

type Answer = Decision | typeof toBeCompared | null
type Rule = { holds: (wanted: Wanted, ending: Ending) => boolean; decision: Answer }

const done: Decision = { event: 'crawl.done', state: 'pending' }

/** The first that holds decides. */
const rules: Rule[] = [
  { holds: (_, ending) => ending === 'cancelled', decision: null },
  // Whatever is subscribed and suppressed: a monitor that fails in silence is worse than one call too many.
  { holds: (_, ending) => ending === 'failed' || ending === 'empty', decision: done },
  { holds: isFirstOfChain, decision: { event: 'crawl.done', state: 'suppressed_no_baseline' } },
  { holds: asksForChanges, decision: toBeCompared },
  { holds: ({ events }) => events.includes('crawl.done'), decision: done },
]

type ChangeRule = { holds: (wanted: Wanted, changes: Changes) => boolean; decision: Decision | null }

/** Of a run that is done, once it is compared or cannot be. */
const changeRules: ChangeRule[] = [
  // Whatever is subscribed: that nothing is known must not look like nothing has changed.
  { holds: (_, changes) => changes === null, decision: done },
  {
    holds: ({ onlyChanged }, changes) => changes === 0 && onlyChanged,
    decision: { event: 'crawl.done', state: 'suppressed_no_change' },
  },
  {
    holds: ({ events }, changes) => changes !== 0 && events.includes('crawl.diff_detected'),
    decision: { event: 'crawl.diff_detected', state: 'pending' },
  },
  { holds: ({ events }) => events.includes('crawl.done'), decision: done },
]

/** Null when nothing is told and nothing is held back: a cancelled run, or an event that nobody asked for. */
export const decide = (wanted: Wanted, ending: Ending): Answer =>
  rules.find(({ holds }) => holds(wanted, ending))?.decision ?? null

/** The same for a run that was `toBeCompared`. */
export const decideByChanges = (wanted: Wanted, changes: Changes): Decision | null =>
  changeRules.find(({ holds }) => holds(wanted, changes))?.decision ?? null

function isFirstOfChain({ onlyChanged, isMonitored, previousRunId }: Wanted): boolean {
  return onlyChanged && isMonitored && previousRunId === null
}

function asksForChanges({ events, onlyChanged, isMonitored, previousRunId }: Wanted): boolean {
  const asks = onlyChanged || events.includes('crawl.diff_detected')
  return asks && isMonitored && previousRunId !== null
}
