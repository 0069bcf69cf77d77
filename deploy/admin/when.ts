/** A moment as an operator writes it: a date with or without a time, or how long ago, such as `90d`, `12h` or `30m`. */
import { AdminError } from './admin-error.ts'

const spans = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const written = /^(\d{1,6})([mhd])$/
const dated = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

/** Throws AdminError for what is neither; a date without a time begins in UTC. */
export function momentOf(option: string, text: string, now: number): Date {
  const [, count, unit] = written.exec(text) ?? []
  if (count !== undefined) return new Date(now - Number(count) * spans[unit as keyof typeof spans])
  const at = dated.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at))
    throw new AdminError(`--${option} is how long ago (90d, 12h, 30m) or a time (2026-11-22T08:00:00Z).`, 2)
  return new Date(at)
}
