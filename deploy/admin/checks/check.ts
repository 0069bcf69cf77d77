/** The result of a check: the number of checked things, and every fault as a sentence. */
export type Findings = {
  /** The checked things with their number, such as `12 runs`. */
  looked: string
  wrong: string[]
  /** Reason why nothing could be checked. */
  skipped?: string
}

/** Returns the number with its noun: `1 page`, `2 pages`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
