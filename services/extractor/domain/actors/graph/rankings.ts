/** The highest of many numbers. */

/** A page and its number. */
export type Ranked = [place: number, value: number]

/** Returns the highest numbers above 0, up to a maximum. Equal ones are in page order. */
export function highest(values: ArrayLike<number>, max: number): Ranked[] {
  const min = Float64Array.from(values).sort().at(-max) ?? 0
  const places: number[] = []
  for (let place = 0; place < values.length; place++) {
    const value = values[place] as number
    if (value > 0 && value >= min) places.push(place)
  }
  places.sort((a, b) => (values[b] as number) - (values[a] as number) || a - b)
  return places.slice(0, max).map(place => [place, values[place] as number])
}
