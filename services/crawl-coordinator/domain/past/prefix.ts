/**
 * Selects the part of a log that existed at a time: its longest prefix without a commit that is dated later.
 *
 * The position in the log orders the events, not their times: clocks of writers differ, so a commit may be dated before
 * its predecessor. A prefix therefore contains all commits on which its commits are based, and the prefix of a later
 * time contains the prefix of every earlier time.
 */

/** The range of times, in epoch milliseconds, that have the same prefix: from `from` to before `until`. */
export type Span = { from: number; until: number }

export type Prefix = {
  /** Returns whether the next commit belongs to the prefix. Call it for all commits in their order. */
  includes(commit: { at: string }): boolean
  /** The span after the commits so far. `until` is infinite while the prefix is the whole log. */
  readonly span: Span
}

/** @param asOf the time in epoch milliseconds */
export function prefixAsOf(asOf: number): Prefix {
  const span = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
  return {
    span,
    includes({ at }) {
      if (span.until < Number.POSITIVE_INFINITY) return false
      const time = Date.parse(at)
      if (time > asOf) {
        span.until = time
        return false
      }
      span.from = Math.max(span.from, time)
      return true
    },
  }
}

/** Returns whether the time is in the span. */
export const isWithin = ({ from, until }: Span, time: number): boolean => from <= time && time < until
