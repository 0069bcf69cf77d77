/** Decides which pages a sitemap lists, and since when each is unchanged. */
import { type ExportedPage, type Part, valuesOf } from '../page.ts'

/** An entry of a sitemap. `lastModified` is an ISO 8601 time, or null if the page states none. */
export type Listed = { url: string; lastModified: string | null }

export const listedParts: readonly Part[] = ['metadata', 'headers']

/** Search engines reject longer URLs (sitemaps.org: fewer than 2,048 characters). */
const maxUrlLength = 2047
const documentTypes = /^(?:text\/html|application\/xhtml\+xml|application\/pdf|text\/plain)\b/i
const hidden = /^(?:noindex|none)$/i
/** Matches the target of a link and its parameters (RFC 8288). */
const link = /<([^<>]*)>([^<]*)/g
const isCanonical = /;\s*rel\s*=\s*(?:"(?:[^";]*\s)?)?canonical(?![^\s",;])/i
const isoTime = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/
const httpTime = /^[A-Z][a-z]{2}, \d\d? [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC|[+-]\d{4})$/
/** Matches `googlebot: noindex`. `max-snippet:` and `unavailable_after:` are directives. Dates begin with a digit. */
const startsWithName = /^(?!max-|unavailable_after)[a-z][\w./ -]*:/i

/**
 * Returns the entry of a page, or null if it is not listed: its status is not 200, it is a challenge or no document, robots
 * must not index it, or it names another canonical URL.
 */
export function listed(
  page: Pick<
    ExportedPage,
    'url' | 'status' | 'blocked' | 'contentType' | 'metadata' | 'headers' | 'fetchedAt'
  >,
  normalize: (url: string) => string | null,
): Listed | null {
  const { url, status, blocked, contentType, metadata } = page
  if (status !== 200 || blocked || url.length > maxUrlLength || !/^https?:\/\//.test(url)) return null
  if (contentType !== null && !documentTypes.test(contentType.trim())) return null
  const fields = valuesOf(page.headers ?? [], 'x-robots-tag')
  if ([...(metadata?.robots ?? []), ...fields.flatMap(forEveryRobot)].some(isHidden)) return null
  const isOther = (canonical: string) => canonical !== url && normalize(canonical) !== url
  if ([metadata?.canonical ?? url, ...canonicalLinks(page)].some(isOther)) return null
  return { url, lastModified: lastModified(page) }
}

const isHidden = (directive: string): boolean => hidden.test(directive.trim())

/** Returns the directives of an X-Robots-Tag before the first name of a robot, which applies to all behind it. */
function forEveryRobot(field: string): string[] {
  const parts = field.split(',')
  const end = parts.findIndex(part => startsWithName.test(part.trim()))
  return end === -1 ? parts : parts.slice(0, end)
}

/** Returns the canonical URLs of the header Link (RFC 6596), the only place where a PDF can name one. */
function canonicalLinks({ url, headers }: Pick<ExportedPage, 'url' | 'headers'>): string[] {
  const links = valuesOf(headers ?? [], 'link').flatMap(field => [...field.matchAll(link)])
  return links.flatMap(([, target = '', parameters = '']) =>
    isCanonical.test(parameters) ? (URL.parse(target, url)?.href ?? []) : [],
  )
}

/**
 * Returns the stated time of the last change: `Last-Modified`, else `dateModified` of the structured data, else
 * `og:updated_time`. The time of the fetch says nothing about changes.
 */
function lastModified({
  headers,
  metadata,
  fetchedAt,
}: Pick<ExportedPage, 'headers' | 'metadata' | 'fetchedAt'>): string | null {
  const stated = [
    valuesOf(headers ?? [], 'last-modified')[0],
    ...(metadata?.json_ld ?? []).map(dateModified),
    metadata?.og.updated_time,
  ]
  const now = Date.parse(fetchedAt)
  for (const text of stated) {
    const time = typeof text === 'string' ? timeOf(text.trim()) : Number.NaN
    if (time >= 0 && time <= now) return new Date(time).toISOString()
  }
  return null
}

/** Returns a time as in ISO 8601 or HTTP, or NaN. A time without a zone is UTC, not the zone of this machine. */
function timeOf(text: string): number {
  const [, day, time = '00:00', zone = 'Z'] = isoTime.exec(text) ?? []
  if (day === undefined) return httpTime.test(text) ? Date.parse(text) : Number.NaN
  // `Date.parse` reads February 30 as March 1.
  const isDay = new Date(Date.parse(day)).getUTCDate() === Number(day.slice(8))
  return isDay ? Date.parse(`${day}T${time}${zone}`) : Number.NaN
}

function dateModified(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'dateModified' in data ? data.dateModified : undefined
}
