/** Reads the dates of pages, written for machines or for readers, in several languages. */
import { monthNumber } from './month-names.ts'

/**
 * Returns `2026-11-21`, or the time with its zone if the text has both (RFC 3339), or null if the text does not start
 * with a date. In dates of only digits the day precedes the month, unless `monthFirst` is set.
 */
export function readDate(text: string, monthFirst = false): string | null {
  const short = withDigits(text.slice(0, maxTextLength).trim())
  return machineDate(short) ?? findDate(short, monthFirst)
}

/** Returns the first date anywhere in a text. */
export function findDate(text: string, monthFirst = false): string | null {
  const written = withDigits(text)
  for (const { pattern, order } of forms) {
    const found = pattern.exec(written)
    if (found === null) continue
    const [first = '', second = '', third = ''] = found.slice(1)
    const date = order({ first, second, third }, monthFirst)
    if (date !== null) return date
  }
  return null
}

const maxTextLength = 200

/** Returns a text with ASCII digits for those of Arabic, Persian and Devanagari, whose blocks begin with the zero. */
const withDigits = (text: string): string =>
  text.replace(/[٠-٩۰-۹०-९]/g, digit => {
    const code = digit.charCodeAt(0)
    return String(code - (code < 0x6f0 ? 0x660 : code < 0x966 ? 0x6f0 : 0x966))
  })

type Parts = { first: string; second: string; third: string }
type Form = { pattern: RegExp; order: (parts: Parts, monthFirst: boolean) => string | null }

const word = '(\\p{L}[\\p{L}\\p{M}]{2,11})'

const forms: readonly Form[] = [
  {
    pattern: /(?<!\d)((?:19|20)\d\d)\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d)/u,
    order: ({ first, second, third }) => dateOf(first, second, third),
  },
  {
    // 5 January 2020, 5. Januar 2020, 5 de enero de 2020, 1er mars 2020, 5th of May, 2020
    pattern: new RegExp(
      `(?<!\\d)(\\d{1,2})(?:st|nd|rd|th|er|º|ª)?\\.?[\\s,\\-\u00a0]{0,3}(?:de |of )?${word}\\.?[\\s,\\-\u00a0]{0,3}(?:de |del )?((?:19|20)\\d\\d)(?!\\d)`,
      'u',
    ),
    order: ({ first, second, third }) => dateOf(third, monthOf(second), first),
  },
  {
    // January 5, 2020; Jan. 5th 2020
    pattern: new RegExp(
      `(?<!\\p{L})${word}\\.?[\\s\u00a0]{0,3}(\\d{1,2})(?:st|nd|rd|th)?[\\s,\u00a0]{1,3}((?:19|20)\\d\\d)(?!\\d)`,
      'u',
    ),
    order: ({ first, second, third }) => dateOf(third, monthOf(first), second),
  },
  {
    // 2020 Jan 5, 2020. január 5.
    pattern: new RegExp(`(?<!\\d)((?:19|20)\\d\\d)\\.?[\\s,]{1,2}${word}\\.?\\s(\\d{1,2})(?!\\d)`, 'u'),
    order: ({ first, second, third }) => dateOf(first, monthOf(second), third),
  },
  {
    // Vietnamese: 5 tháng 3, 2020, ngày 5 tháng 3 năm 2020
    pattern: /(?<!\d)(\d{1,2})\stháng\s(\d{1,2}),?\s(?:năm\s)?((?:19|20)\d\d)(?!\d)/iu,
    order: ({ first, second, third }) => dateOf(third, second, first),
  },
  {
    pattern: /(?<!\d)(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?((?:19|20)\d\d)(?!\d)/u,
    order: ({ first, second, third }, monthFirst) => {
      const swap = Number(second) > 12 || (monthFirst && Number(first) <= 12)
      return swap ? dateOf(third, first, second) : dateOf(third, second, first)
    },
  },
  {
    pattern: /(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d\d)(?![\d.])/u,
    order: ({ first, second, third }) => dateOf(`20${third}`, second, first),
  },
]

const monthOf = (name: string): string => String(monthNumber(name) ?? '')

/** Reads ISO 8601 with a time, `20261121`, and the dates of mail (RFC 5322), which engines read too. */
function machineDate(text: string): string | null {
  const iso =
    /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d+)?\s?(Z|[+-]\d\d:?\d\d)?)?/i.exec(text)
  if (iso !== null) {
    const [, year = '', month = '', day = '', hours, minutes, seconds = '00', zone] = iso
    const date = dateOf(year, month, day)
    if (date === null || hours === undefined || zone === undefined || Number(hours) > 23) return date
    const time = `${date}T${hours}:${minutes}:${seconds}${zoneOf(zone)}`
    return Number.isNaN(Date.parse(time)) ? date : time
  }
  const compact = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:T?\d{4,6})?$/.exec(text)
  if (compact !== null) return dateOf(compact[1] ?? '', compact[2] ?? '', compact[3] ?? '')
  const seconds = /^1\d{9}(?:\d{3})?$/.test(text) ? Number(text.slice(0, 10)) : null
  return seconds === null ? null : new Date(seconds * 1000).toISOString().slice(0, 10)
}

const zoneOf = (zone: string): string =>
  zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()

/** Returns a date, or null for an impossible or implausible day. */
function dateOf(year: string, month: string, day: string): string | null {
  const [y, m, d] = [Number(year), Number(month), Number(day)]
  if (!(y >= 1990 && y <= 2100 && m >= 1 && m <= 12 && d >= 1)) return null
  if (d > new Date(Date.UTC(y, m, 0)).getUTCDate()) return null
  return `${year}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`
}
