/** Parses one field of a cron schedule into the numbers that it allows, by the grammar of crontab(5). */

export type FieldSpec = {
  /** The field's name in error messages. */
  name: string
  first: number
  last: number
  /** Names of the values from `first` on; three letters, any case. */
  names: readonly string[]
}

export type Field = {
  allowed: ReadonlySet<number>
  /**
   * Whether the text begins with `*`. If one of the two day fields does, a day must match both fields, else at least
   * one of them.
   */
  isStar: boolean
}

/** Reports that a text is not a schedule. The message names the field and its fault. */
export class BadCron extends Error {
  override readonly name = 'BadCron'
  readonly code = 'bad_cron'
}

const item = /^(?:\*|(\w{1,3})(?:-(\w{1,3}))?)(?:\/(\d{1,3}))?$/

/** Returns the values that a field allows. @throws BadCron */
export function parseField(text: string, spec: FieldSpec): Field {
  const allowed = new Set(text.split(',').flatMap(part => valuesOf(part, spec)))
  return { allowed, isStar: text.startsWith('*') }
}

function valuesOf(part: string, spec: FieldSpec): number[] {
  const match = item.exec(part)
  if (match === null) throw bad(spec, part, 'is not *, a value, a range a-b, or one of them with a step')
  const [, from, to, step] = match
  if (from !== undefined && to === undefined && step !== undefined) {
    throw bad(spec, part, 'has a step without a range; write a-b/n or */n')
  }
  const first = from === undefined ? spec.first : numberOf(from, spec, part)
  const last = from === undefined ? spec.last : to === undefined ? first : endOf(first, to, spec, part)
  if (last < first) throw bad(spec, part, 'is a range that ends before it begins')
  const by = Number(step ?? 1)
  if (by === 0) throw bad(spec, part, 'has a step of 0')
  return Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, n) => first + n * by)
}

/** Returns the end of a range. In `fri-sun` the end is 7, the Sunday after Saturday; in `sun-sun` it is 0. */
function endOf(first: number, text: string, spec: FieldSpec, part: string): number {
  const value = numberOf(text, spec, part)
  return value === 0 && first > 0 && /^sun$/i.test(text) ? spec.last : value
}

function numberOf(text: string, spec: FieldSpec, part: string): number {
  const named = spec.names.indexOf(text.toLowerCase())
  const value = named >= 0 ? spec.first + named : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (value >= spec.first && value <= spec.last) return value
  const names = spec.names.length > 0 ? `, or ${spec.names.join(' ')}` : ''
  throw bad(spec, part, `has a value outside ${spec.first} to ${spec.last}${names}`)
}

const bad = ({ name }: FieldSpec, part: string, fault: string) =>
  new BadCron(`The ${name} field is wrong: "${part.slice(0, 30)}" ${fault}.`)
