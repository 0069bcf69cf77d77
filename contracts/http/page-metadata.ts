/** Returns a page's metadata as the contract defines it, whatever fields an older extractor stored. */
import type { PageMetadata } from './pages.ts'

export function metadataOf(stored: unknown): PageMetadata {
  const known = isObject(stored) ? stored : {}
  return {
    title: textOf(known.title),
    description: textOf(known.description),
    canonical: textOf(known.canonical),
    lang: textOf(known.lang),
    robots: Array.isArray(known.robots) ? known.robots.filter(isText) : [],
    og: textsOf(known.og),
    twitter: textsOf(known.twitter),
    json_ld: Array.isArray(known.json_ld) ? known.json_ld : [],
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === 'string'

const textOf = (value: unknown): string | null => (isText(value) ? value : null)

const textsOf = (value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => isText(entry[1])))
    : {}
