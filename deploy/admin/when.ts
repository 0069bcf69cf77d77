/** Parses a time that an operator writes: a date with or without a time, or an age, such as `90d`, `12h` or `30m`. */
import { dayOf } from '@tidemark/contracts/calendar'
import { AdminError } from './admin-error.ts'

const spans = { d: 86_400_000, h: 3_600_000, m: 60_000 }
type Unit = keyof typeof spans

const examples: Record<Unit, string> = { d: '90d', h: '12h', m: '30m' }
const written = /^(\d{1,6})([a-z])$/
const dated = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

/** Returns the time. A date without a time is midnight in UTC. Throws AdminError for any other text. */
export function momentOf(option: string, text: string, now: number, units: Unit[] = ['d', 'h', 'm']): Date {
  const [, count, letter] = written.exec(text) ?? []
  const unit = units.find(unit => unit === letter)
  if (unit !== undefined) return new Date(now - Number(count) * spans[unit])
  const at = dated.test(text) ? Date.parse(text) : Number.NaN
  const day = text.slice(0, 10)
  // `Date.parse` accepts 31 February as 3 March.
  if (Number.isNaN(at) || dayOf(Date.parse(day)) !== day) {
    const such = units.map(unit => examples[unit]).join(', ')
    throw new AdminError(
      `--${option} is not a time: ${text}. Use an age (${such}) or a time (2026-11-22T08:00:00Z).`,
      2,
    )
  }
  return new Date(at)
}

/**
 * Parses the age of data to delete. Minutes are rejected, because the letter could be meant as months, and so are times
 * in the future, because all data is older. Throws AdminError.
 */
export function pastMomentOf(option: string, text: string, now: number): Date {
  const at = momentOf(option, text, now, ['d', 'h'])
  if (+at > now) throw new AdminError(`--${option} is not in the past (${at.toISOString()}).`, 2)
  return at
}
