/** The highest of many numbers. */

/** A page and its number. */
export type Ranked = [page: number, value: number]

/** Returns the highest numbers above 0, up to a maximum. Equal ones are in page order. */
export function highest(values: ArrayLike<number>, max: number): Ranked[] {
  const min = Float64Array.from(values).sort().at(-max) ?? 0
  const ranked: Ranked[] = []
  for (let page = 0; page < values.length; page++) {
    const value = values[page] as number
    if (value > 0 && value >= min) ranked.push([page, value])
  }
  return ranked.sort(([, a], [, b]) => b - a).slice(0, max)
}
