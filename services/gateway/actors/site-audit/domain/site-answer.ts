/** Builds the JSON answer: findings by rule, with counts, descriptions and examples. */
import type { AuditFinding } from '@tidemark/contracts/http/actors/audit-onpage'
import type { SiteAudit } from '@tidemark/contracts/http/actors/audit-site'
import type { ChosenExample } from './chosen-examples.ts'
import type { Comparison } from './comparison.ts'
import type { DescribedRule, DescribedRules } from './described-rules.ts'
import { messageOf } from './rules/rule.ts'
import { auditedPages, type Site } from './site.ts'

export type AnswerParts = {
  now: Site
  earlier: Site | null
  comparison: Comparison | null
  rules: DescribedRules
  examples: ReadonlyMap<string, readonly ChosenExample[]>
  /** Returns undefined for a deleted page, and for a URL that no page names any more. */
  urlAt: (position: number) => string | undefined
  /** Findings of a page as audit-onpage reports them. */
  detailsOf: (page: number) => readonly AuditFinding[]
}

type Group = SiteAudit['rules'][number]
const ranks = { error: 0, warning: 1, info: 2 }

export function siteAnswer(parts: AnswerParts): SiteAudit {
  const { now, earlier, comparison } = parts
  const { unread, total } = now
  const { new: fresh = null, same = null, gone = null } = comparison?.totals ?? {}
  const sums = { error: 0, warning: 0, info: 0 }
  for (const [id, found] of now.log.totals) sums[parts.rules.get(id)?.severity ?? 'info'] += found.pages
  return {
    crawl_id: now.runId,
    against: earlier?.runId ?? null,
    summary: {
      pages: total,
      audited: auditedPages(now),
      not_audited: Object.fromEntries(unread),
      findings: sums.error + sums.warning + sums.info,
      errors: sums.error,
      warnings: sums.warning,
      info: sums.info,
      new: fresh,
      same,
      gone,
      gone_with_page: comparison?.missingWithPage ?? null,
      not_compared: comparison?.notCompared ?? null,
    },
    rules: groupsOf(parts),
    not_applied: [...now.notApplied].map(([rule, because]) => ({ rule, because })),
  }
}

function groupsOf(parts: AnswerParts): Group[] {
  const { now, comparison, rules } = parts
  const ids = new Set([...now.log.totals.keys(), ...(comparison?.byRule.keys() ?? [])])
  return [...ids]
    .flatMap(id => {
      const rule = rules.get(id)
      return rule === undefined ? [] : [groupOf(parts, id, rule)]
    })
    .sort((a, b) => ranks[a.severity] - ranks[b.severity] || b.count - a.count || (a.rule < b.rule ? -1 : 1))
}

function groupOf(parts: AnswerParts, id: string, rule: DescribedRule): Group {
  const { now, comparison } = parts
  const { pages: count, occurrences } = now.log.totals.get(id) ?? { pages: 0, occurrences: 0 }
  const changes = comparison === null ? null : (comparison.byRule.get(id) ?? { new: 0, same: 0, gone: 0 })
  const examples = (parts.examples.get(id) ?? []).flatMap(example => exampleOf(parts, rule, example))
  const audited = auditedPages(now)
  return {
    rule: id,
    severity: rule.severity,
    finds: rule.finds,
    reason: rule.reason,
    remedy: rule.ofSite?.remedy ?? examples[0]?.message ?? '',
    source: rule.source,
    count,
    share: audited === 0 ? 0 : Math.round(Math.min(1, count / audited) * 10_000) / 10_000,
    occurrences,
    new: changes?.new ?? null,
    same: changes?.same ?? null,
    gone: changes?.gone ?? null,
    examples,
  }
}

function exampleOf(
  { now, urlAt, detailsOf }: AnswerParts,
  { ofSite }: DescribedRule,
  { page, rule, count, related, change }: ChosenExample,
): Group['examples'] {
  const url = urlAt(page)
  const detail = detailsOf(page).find(finding => finding.rule === rule)
  if (url === undefined || (ofSite === null && detail === undefined)) return []
  return [
    {
      url,
      page_id: now.pages.ids[page] as number,
      message: ofSite === null ? (detail?.message ?? '') : messageOf(ofSite, count),
      ...(count !== null && { count }),
      samples: ofSite === null ? (detail?.samples ?? []) : related.flatMap(position => urlAt(position) ?? []),
      pagerank: now.links.scores[page] ?? null,
      change,
    },
  ]
}
