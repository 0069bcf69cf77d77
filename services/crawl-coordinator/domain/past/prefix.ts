/**
 * Selects the part of a log that existed at a time: its longest prefix without a commit that is dated later.
 *
 * The position in the log orders events, not their times: clocks of writers differ, so a commit may be dated before the
 * one that it follows. A prefix never contains a commit without those on which it was decided, and that of a later time
 * never lacks a commit of an earlier one.
 */

/** The times, in epoch milliseconds, with the same prefix: from `from` to before `until`. */
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
