/** The growth of a figure: the slope of the least-squares line through its samples. */
export type Sample = { seconds: number; value: number }

/** Returns units per second; 0 for fewer than two distinct times. */
export function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const [middle, level] = [mean(({ seconds }) => seconds), mean(({ value }) => value)]
  const [rise, run] = samples.reduce(
    ([rise, run], { seconds, value }) => [
      rise + (seconds - middle) * (value - level),
      run + (seconds - middle) ** 2,
    ],
    [0, 0],
  )
  return run === 0 ? 0 : rise / run
}
