/** Reads the date of a URL that identifies its page only by a date, as in calendars and archives. */
import type { Address, Parameter } from './address.ts'

export type Dated = {
  year: number
  month: number
  /** Null for a whole month. */
  day: number | null
  /** The common part of all pages of the same calendar. */
  calendar: string
}

/** Returns the date; null if the URL has none, or also has something else, such as the title of an article. */
export function dateOf(address: Address): Dated | null {
  return inPath(address) ?? (address.parameters.length > 0 ? inQuery(address) : null)
}

const datedPath =
  /^(.*\/)([12]\d{3})[/-](0?[1-9]|1[0-2])(?:[/-](0?[1-9]|[12]\d|3[01]))?(?:\/(?:month|week|day|list|agenda|grid|index\.\w+)?)?$/i

function inPath({ origin, path }: Address): Dated | null {
  const match = datedPath.exec(path)
  if (match === null) return null
  const [, before = '', year, month, day] = match
  return dated(year, month, day, `${origin}${before}`)
}

function inQuery({ origin, path, parameters }: Address): Dated | null {
  for (const parameter of parameters) {
    const read = inValue(parameter)
    if (read !== null) return dated(read[0], read[1], read[2], `${origin}${path}?${parameter.name}`)
  }
  const year = parameters.find(
    ({ name, value }) => /^(?:y|yr|year|jahr|annee|anno)$/i.test(name) && fourDigits(value),
  )
  const month = parameters.find(
    ({ name, value }) => /^(?:m|mo|mon|month|monat|mois|mes)$/i.test(name) && isMonth(value),
  )
  if (!year || !month) return null
  const day = parameters.find(
    ({ name, value }) => /^(?:d|day|tag|jour|dia)$/i.test(name) && /^\d{1,2}$/.test(value),
  )
  return dated(year.value, month.value, day?.value, `${origin}${path}?${year.name}&${month.name}`)
}

/**
 * Returns year, month and day of a date in one value: `2031-05`, `2031-05-12`, and, if the name indicates a time,
 * `20310512`, `1935660000`.
 */
function inValue({ name, value }: Parameter): string[] | null {
  const iso = /^([12]\d{3})-(\d{1,2})(?:-(\d{1,2}))?(?:T.*)?$/.exec(value)
  if (iso) return iso.slice(1)
  if (!/^m$|date|day|month|cal|week|time/i.test(name)) return null
  const compact = /^([12]\d{3})(\d{2})(\d{2})?$/.exec(value)
  if (compact) return compact.slice(1)
  if (!/^\d{10}$/.test(value)) return null
  return new Date(Number(value) * 1000).toISOString().slice(0, 10).split('-')
}

function dated(year?: string, month?: string, day?: string, calendar = ''): Dated | null {
  if (!isMonth(month ?? '') || Number(day ?? 1) > 31) return null
  const ofDays = day !== undefined
  return {
    year: Number(year),
    month: Number(month),
    day: ofDays ? Number(day) : null,
    calendar: `${calendar} by ${ofDays ? 'days' : 'months'}`,
  }
}

const fourDigits = (value: string): boolean => /^[12]\d{3}$/.test(value)

const isMonth = (value: string): boolean => /^(?:0?[1-9]|1[0-2])$/.test(value)
