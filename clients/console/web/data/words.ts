/** Writes numbers, sizes and durations for the reader, in the format of their browser. */
import { wholeNumberFormat } from './formats.ts'

export const count = (value: number): string => wholeNumberFormat().format(value)

/** Returns one of two words: `1 page`, `2 pages`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB']
  const power = value < 1 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), units.length - 1)
  const shown = value / 1000 ** power
  return `${shown >= 100 || power === 0 ? Math.round(shown) : shown.toFixed(1)} ${units[power]}`
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${(ms / 1000).toFixed(1)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Returns a code such as `not_reached` as words. */
export const spoken = (code: string): string => code.replaceAll('_', ' ')

const ends: Record<string, string> = {
  exhausted: 'no URL was left',
  max_pages: 'the limit of pages',
  depth: 'the limit of depth',
  max_cost_usd: 'the limit of cost',
  max_bytes: 'the limit of bytes',
  quota: 'the quota of pages',
  time_limit: 'the time limit',
  pattern_time: 'the time limit of patterns',
  failed: 'a failure',
  cancelled: 'a cancellation',
}

/** Returns the `stop_reason` of a crawl as words. */
export const endedBy = (reason: string): string => ends[reason] ?? spoken(reason)

/** Returns the state of a key as a word. A rotation sets the time at which the other keys expire. */
export function keyState({ revoked_at, expires_at }: KeyEnds): 'active' | 'expired' | 'revoked' {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active'
}
type KeyEnds = { revoked_at: string | null; expires_at: string | null }

/** Returns `1–2` or `1`. */
export const range = ({ low, high }: { low: number; high: number }): string =>
  low === high ? count(low) : `${count(low)}–${count(high)}`

/** Returns the path and query of a URL, or all of it if it has another origin. */
export function pathIn(url: string, origin: string | null): string {
  const parsed = URL.parse(url)
  return parsed !== null && parsed.origin === origin ? parsed.pathname + parsed.search : url
}

export const originOf = (url: string): string | null => URL.parse(url)?.origin ?? null
