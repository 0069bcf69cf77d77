/**
 * Audits a page that a crawl stored, by the rules of `audit-onpage`. It reads the body, the URL, the status, the type,
 * the times and X-Robots-Tag. Rules that need other data (`Rule.needs`) find nothing.
 */
import type { AuditedPage, AuditRules } from '@tidemark/contracts/rpc/site-audit'
import { findingsOf } from '../audit/audit.ts'
import { auditedPage, auditedResponse } from '../audit/audited-page.ts'
import type { AuditContext } from '../audit/context.ts'
import { rules } from '../audit/rules.ts'
import type { SeenPage } from '../seen-page.ts'
import { siteFactsOf } from './site-facts.ts'

export type StoredReading = {
  /** ISO 8601. */
  fetchedAt: string
  /** Milliseconds from the request to the last byte, without redirects; null: unknown. */
  elapsedMs: number | null
  /** Whether the result has messages and samples instead of facts. */
  inDetail: boolean
}

const storedContext = ({ fetchedAt, elapsedMs }: StoredReading): AuditContext => ({
  hops: [],
  elapsedMs: elapsedMs ?? 0,
  fetchedAt,
  knowsDelivery: false,
  site: null,
})

export function storedAuditOf(seen: SeenPage, reading: StoredReading): AuditedPage {
  const response = auditedResponse(seen, storedContext(reading))
  const page = auditedPage(response, seen)
  const details = findingsOf(response, page)
  if (reading.inDetail) return { details }
  return {
    findings: details.map(({ rule, count = null }) => [rule, count]),
    facts: page === null ? null : siteFactsOf(page),
    ...(reading.elapsedMs !== null && { isTimed: true }),
  }
}

/** Returns the rules of single pages in the order of findings with the same severity. */
export const describedRules = (): AuditRules => ({
  rules: rules.map(({ id, severity, finds, reason, source, needs = null }) => ({
    id,
    severity,
    finds,
    reason,
    source,
    needs,
  })),
})
