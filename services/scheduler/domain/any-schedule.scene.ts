/** Random schedules of every kind, for property tests. */
import fc from 'fast-check'

/**
 * The meaning of one part of a field: the values `from`, `from + step` and so on, up to `to`. `isStar`: written `*`.
 */
export type Part = { from: number; to: number; step: number; isStar: boolean }
type Spec = { first: number; last: number; names: string[] }

const specs: Spec[] = [
  { first: 0, last: 59, names: [] },
  { first: 0, last: 23, names: [] },
  { first: 1, last: 31, names: [] },
  { first: 1, last: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  { first: 0, last: 7, names: 'sun mon tue wed thu fri sat'.split(' ') },
]

const anyPart = ({ first, last }: Spec) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<Part>({ from: first, to: last, step: 1, isStar: true }) },
    {
      weight: 3,
      arbitrary: fc
        .record({
          ends: fc.tuple(fc.integer({ min: first, max: last }), fc.integer({ min: first, max: last })),
          step: fc.integer({ min: 1, max: 70 }),
          isStar: fc.constantFrom(true, false, false),
          isOne: fc.boolean(),
        })
        .map(({ ends: [a, b], step, isStar, isOne }): Part => {
          if (isStar) return { from: first, to: last, step, isStar }
          return isOne
            ? { from: a, to: a, step: 1, isStar }
            : { from: Math.min(a, b), to: Math.max(a, b), step, isStar }
        }),
    },
  )

/** Generates the parts of each of the five fields. */
export const anySchedule = fc.tuple(
  ...specs.map(spec => fc.array(anyPart(spec), { minLength: 1, maxLength: 3 })),
) as fc.Arbitrary<Part[][]>

const one = (value: number): Part => ({ from: value, to: value, step: 1, isStar: false })
const every = (step: number): Part => ({ from: 0, to: 7, step, isStar: true })

/** Generates schedules that are due rarely or never: at the ends of months, on certain weekdays or on all. */
export const rareSchedule: fc.Arbitrary<Part[][]> = fc
  .record({
    days: fc.uniqueArray(fc.integer({ min: 28, max: 31 }), { minLength: 1, maxLength: 2 }),
    months: fc.uniqueArray(fc.constantFrom(2, 2, 4, 6, 9, 11, 12), { minLength: 1, maxLength: 2 }),
    weekday: fc.oneof(fc.integer({ min: 1, max: 7 }).map(every), fc.integer({ min: 0, max: 7 }).map(one)),
  })
  .map(({ days, months, weekday }) => [[one(0)], [one(0)], days.map(one), months.map(one), [weekday]])

/** Writes a schedule as a person might: with names here and there, in upper or lower case. */
export function textOf(fields: Part[][]): string {
  return fields.map((parts, n) => parts.map(part => partText(part, specs[n] as Spec)).join(',')).join(' ')
}

function partText({ from, to, step, isStar }: Part, { first, names }: Spec): string {
  const value = (n: number) => (n % 3 === 0 ? names[n - first]?.toUpperCase() : names[n - first]) ?? String(n)
  const range = isStar ? '*' : from === to && step === 1 ? value(from) : `${value(from)}-${value(to)}`
  return step === 1 ? range : `${range}/${step}`
}
