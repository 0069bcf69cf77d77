/** What a check says: how much it looked at, and everything that does not hold, in sentences. */
export type Findings = {
  /** Such as `12 runs`. */
  looked: string
  wrong: string[]
  /** Why nothing could be looked at. */
  skipped?: string
}

/** `1 page`, `2 pages`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
