/** What a row of the table of metrics says, and the buckets of what takes a while. */

export type Metric = {
  kind: 'counter' | 'histogram' | 'gauge'
  /** UCUM, as OpenTelemetry wants it. */
  unit: string
  says: string
  /** What its series are told apart by; each has few values, whatever customers do. */
  by: readonly string[]
  /** Upper bounds of a histogram. */
  buckets?: readonly number[]
}

/** Seconds, from what memory answers to what a person gives up on. */
export const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const
