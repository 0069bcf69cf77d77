/**
 * Audits a page that a crawl stored. The rules of `audit-onpage` apply as far as the store has their data: it has the
 * body, the URL, the status, the type, the time and X-Robots-Tag. Rules that need other data are marked (`Rule.needs`).
 */
import type { AuditedPage, AuditRules } from '@tidemark/contracts/rpc/site-audit'
import { findingsOf } from '../audit/audit.ts'
import { answerOf, auditedPage } from '../audit/audited-page.ts'
import type { AuditContext } from '../audit/context.ts'
import { rules } from '../audit/rules.ts'
import type { SeenPage } from '../seen-page.ts'
import { siteFactsOf } from './site-facts.ts'

/** The headers of a page that the store has. */
export const storedHeaders: readonly string[] = ['x-robots-tag']

/** The context of a stored page. */
const storedContext = (fetchedAt: string): AuditContext => ({
  hops: [],
  elapsedMs: 0,
  fetchedAt,
  knowsDelivery: false,
  site: null,
})

export function storedAuditOf(
  seen: SeenPage,
  { fetchedAt, inDetail }: { fetchedAt: string; inDetail: boolean },
): AuditedPage {
  const answer = answerOf(seen, storedContext(fetchedAt))
  const page = auditedPage(answer, seen)
  const details = findingsOf(answer, page)
  if (inDetail) return { details }
  return {
    findings: details.map(({ rule, count = null }) => [rule, count]),
    facts: page === null ? null : siteFactsOf(page),
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
