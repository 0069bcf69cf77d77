/** What a rule of the audit is: an id that never changes, what it says of a page, and on whose word. */
import type { Answered, AuditedPage } from './audited-page.ts'

/**
 * `error`: broken, or kept from people or from search. `warning`: something is likely lost. `info`: worth knowing,
 * nothing more.
 */
export type Severity = 'error' | 'warning' | 'info'

/** Who says so, and where. */
export type Source = { name: string; url: string }

/** `message` says what is wrong and what to do; `count` and `samples` of what there may be many. */
export type Found = { message: string; count?: number; samples?: string[] }

type Described = {
  /** `area/name`: part of the API. */
  id: `${string}/${string}`
  severity: Severity
  /** What is found, with its thresholds. */
  finds: string
  /** Why that matters. */
  reason: string
  source: Source
}

/** `answers`: of any answer. `pages`: HTML with a status of success. `indexed`: such as search engines may show. */
export type Rule = Described &
  (
    | { on: 'answers'; find(answer: Answered): Found | null }
    | { on: 'pages' | 'indexed'; find(page: AuditedPage): Found | null }
  )

/** Samples of one finding. */
export const mostSamples = 5

/** A finding with the number of things and the first few of them; null where there is none. */
export function among<Thing>(
  things: readonly Thing[],
  says: (count: number) => string,
  show: (thing: Thing) => string,
): Found | null {
  if (things.length === 0) return null
  return {
    message: says(things.length),
    count: things.length,
    samples: things.slice(0, mostSamples).map(show),
  }
}

/** A finding where something is so. */
export const when = (isSo: boolean, message: () => string): Found | null =>
  isSo ? { message: message() } : null

/** `1 link`, `2 links`. */
export const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${count} ${count === 1 ? thing : things}`
