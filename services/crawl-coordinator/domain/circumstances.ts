/** Defines the inputs of a decision besides its run, and how its steps emit events. */
import type { RunEvent, TrapRule } from '@tidemark/contracts/run'
import type { StoredAnswer } from '@tidemark/contracts/work/revisit'
import type { Verdicts } from './filter.ts'
import type { Running } from './run.ts'

/** External inputs of a decision: the time, new page ids, and the maximum number of orders in flight. */
export type Circumstances = {
  at: string
  takeId: () => number
  window: number
  allowance: Allowance
  /** Pages that may be rendered in a browser, which are billed as cloud pages. */
  cloudAllowance: Allowance
  /** Product token whose robots.txt group applies, such as `tidemark`. */
  robotsToken: string
  /** Maximum duration of a run, in milliseconds. */
  runLimitMs: number
  /** Trap rules that this installation turns off. */
  trapsOff: ReadonlySet<TrapRule>
  /** The pages of the run that a fork continues; absent: the run is not a fork. */
  stored?: StoredPages
  /** Verdicts of the client's patterns on found URLs. */
  verdicts?: Verdicts | undefined
  /** Whether the run has used up its processor time for patterns. Found URLs are then not judged. */
  isPatternTimeSpent?: boolean
}

/** The pages of an earlier run by key, as far as the content store may have them. */
export type StoredPages = { get(key: string): StoredAnswer | undefined }

/** The pages that the project may still spend on the run, counted from the run's start. */
export type Allowance = {
  pages: number
  /** Whether no more pages will be granted, because a limit of the project is reached. */
  isFinal: boolean
}

export const unbounded: Allowance = { pages: Number.POSITIVE_INFINITY, isFinal: false }

/** Maximum number of URLs that one decision emits without outcomes. */
export const maxUrls = 2_000

export type Decision = Circumstances & {
  run: Running
  now: number
  emit: (event: RunEvent) => void
  /**
   * Returns whether the decision may emit another event. Call it before each event that no outcome causes: a decision
   * is one message and therefore bounded. If it returns false, the next decision, which is due at once, emits the
   * rest.
   */
  mayEmit: () => boolean
}
