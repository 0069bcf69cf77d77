/** Type of an audit rule: an id that never changes, the finding and its source. */
import type { Need } from '@tidemark/contracts/rpc/site-audit'
import type { AuditedPage, AuditedResponse } from './audited-page.ts'

/** `error`: broken, or hidden from people or search engines. `warning`: probably a loss. `info`: worth knowing. */
export type Severity = 'error' | 'warning' | 'info'

/** The document that supports a rule. */
export type Source = { name: string; url: string }

/** `message` states the problem and the remedy. `count` and `samples` are for findings that can occur several times. */
export type Found = { message: string; count?: number; samples?: string[] }

type RuleDescription = {
  /** `area/name`: part of the API. */
  id: `${string}/${string}`
  severity: Severity
  /** Describes the finding, with its thresholds. */
  finds: string
  /** Why it matters. */
  reason: string
  source: Source
  /**
   * Data without which the rule finds nothing. The audit of stored pages lacks this data, but only some pages lack
   * `time`.
   */
  needs?: Need
}

/**
 * By default a rule applies to HTML pages with a 2xx status. `indexed`: only pages without noindex. `responses`: every
 * response.
 */
export type Rule = RuleDescription &
  (
    | { on: 'responses'; find(response: AuditedResponse): Found | null }
    | { on?: 'indexed'; find(page: AuditedPage): Found | null }
  )

/** Maximum number of samples of one finding. */
export const maxSamples = 5

/**
 * Texts of a finding for one thing and for several, with the remedy. `{n}` stands for the number. Without `one`, `many`
 * is used for one thing too.
 */
export type Message = { one?: string; many: string; remedy: string | { one: string; many: string } }

export function worded({ one, many, remedy }: Message, count: number): string {
  const isOne = count === 1
  const found = (isOne && one) || many
  const advice = typeof remedy === 'string' ? remedy : isOne ? remedy.one : remedy.many
  return `${found.replaceAll('{n}', String(count))} ${advice}`
}

/**
 * Returns a finding with the number of things and the first few as samples, or null for an empty list.
 * @param show returns the sample of a thing; may be left out for texts
 */
export function among<Thing>(
  things: readonly Thing[],
  message: Message,
  show: (thing: Thing) => string = String,
  count = things.length,
): Found | null {
  if (things.length === 0) return null
  return { message: worded(message, count), count, samples: things.slice(0, maxSamples).map(show) }
}

/** Returns a finding with one sample, or null without a sample. */
export const withSample = (message: string, sample: string | null): Found | null =>
  sample === null ? null : { message, samples: [sample] }

/** Returns a finding if the condition is true. */
export const when = (isSo: boolean, message: () => string): Found | null =>
  isSo ? { message: message() } : null
