/** Types of the metrics table, and the buckets of durations. */

export type Metric = {
  kind: 'counter' | 'histogram' | 'gauge'
  /** A UCUM unit, as OpenTelemetry requires. */
  unit: string
  description: string
  /** Attributes of its series. Each has few values, independent of the customers' behaviour. */
  by: readonly string[]
  /** Upper bounds of a histogram. */
  buckets?: readonly number[]
}

/** Buckets of durations in seconds, from cache hits to the longest wait of a person. */
export const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const
