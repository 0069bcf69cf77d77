/**
 * Decides once per run which event its webhook sends, or why none is sent. The decision depends on the subscribed
 * events, on the ending and, if the webhook needs it, on the changes since the previous run.
 */
import type { WebhookEvent } from '@tidemark/contracts/run-settings'

/** Settings of the webhook, as the first event of a run (`RunQueued`) contains them. */
export type Wanted = {
  events: readonly WebhookEvent[]
  onlyChanged: boolean
  /** Whether the changes are judged by the intent of the monitor. */
  hasIntent: boolean
  /** Whether changes that do not match the intent are not sent. */
  onlyMatching: boolean
  /** Whether a monitor started the run. */
  isMonitored: boolean
  /** Run of the previous tick; null for the first run of a monitor. */
  previousRunId: number | null
}

/** `empty`: done, but a limit ended the run before its first page. */
export type Ending = 'done' | 'empty' | 'failed' | 'cancelled'
export type Suppressed = 'suppressed_no_baseline' | 'suppressed_no_change' | 'suppressed_no_match'
export type Decision = { event: WebhookEvent; state: 'pending' | Suppressed }

/** Number of pages that were added, removed or changed; null if unknown. */
export type Changes = number | null

/** The comparison with the previous run, on which the decision depends, is not finished. */
export const toBeCompared = 'to be compared'

type Answer = Decision | typeof toBeCompared | null
type Rule = { holds: (wanted: Wanted, ending: Ending) => boolean; decision: Answer }

const done: Decision = { event: 'crawl.done', state: 'pending' }

/** The first rule that holds decides. */
const rules: Rule[] = [
  { holds: (_, ending) => ending === 'cancelled', decision: null },
  // Failures ignore subscriptions and suppression: a silent failure of a monitor is worse than a superfluous call.
  { holds: (_, ending) => ending === 'failed' || ending === 'empty', decision: done },
  { holds: isFirstOfChain, decision: { event: 'crawl.done', state: 'suppressed_no_baseline' } },
  { holds: needsChanges, decision: toBeCompared },
  { holds: ({ events }) => events.includes('crawl.done'), decision: done },
]

/** Whether the changes match the intent; null if unknown, or without an intent. */
export type Matched = boolean | null

type ChangeRule = {
  holds: (wanted: Wanted, changes: Changes, matched: Matched) => boolean
  decision: Decision | null
}

/** Rules for a finished run whose comparison is known or impossible. */
const changeRules: ChangeRule[] = [
  // Unknown changes ignore subscriptions: they must not look like no changes.
  { holds: (_, changes) => changes === null, decision: done },
  {
    holds: ({ onlyChanged }, changes) => changes === 0 && onlyChanged,
    decision: { event: 'crawl.done', state: 'suppressed_no_change' },
  },
  // If the judgement is unknown, the webhook is sent, as for unknown changes.
  {
    holds: ({ onlyMatching }, _, matched) => onlyMatching && matched === false,
    decision: { event: 'crawl.done', state: 'suppressed_no_match' },
  },
  {
    holds: ({ events }, changes) => changes !== 0 && events.includes('crawl.diff_detected'),
    decision: { event: 'crawl.diff_detected', state: 'pending' },
  },
  { holds: ({ events }) => events.includes('crawl.done'), decision: done },
]

/**
 * Returns the decision; null: nothing is sent or suppressed, because the run was cancelled or its event is not
 * subscribed.
 */
export const decide = (wanted: Wanted, ending: Ending): Answer =>
  rules.find(({ holds }) => holds(wanted, ending))?.decision ?? null

/** Decides for a run that was `toBeCompared`; null as for `decide`. */
export const decideByChanges = (wanted: Wanted, changes: Changes, matched: Matched = null): Decision | null =>
  changeRules.find(({ holds }) => holds(wanted, changes, matched))?.decision ?? null

function isFirstOfChain({ onlyChanged, onlyMatching, isMonitored, previousRunId }: Wanted): boolean {
  return (onlyChanged || onlyMatching) && isMonitored && previousRunId === null
}

function needsChanges({ events, onlyChanged, hasIntent, isMonitored, previousRunId }: Wanted): boolean {
  const isSubscribed = onlyChanged || hasIntent || events.includes('crawl.diff_detected')
  return isSubscribed && isMonitored && previousRunId !== null
}
