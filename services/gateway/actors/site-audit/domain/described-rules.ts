/** The rules of pages and of the site with their descriptions, and those that do not apply to a run. */
import type { AuditFinding } from '@tidemark/contracts/http/actors/audit-onpage'
import type { AuditRules, Need } from '@tidemark/contracts/rpc/site-audit'
import type { SiteRule } from './rules/rule.ts'
import { siteRules } from './rules/table.ts'
import type { Site } from './site.ts'

export type DescribedRule = {
  severity: AuditFinding['severity']
  finds: string
  reason: string
  source: { name: string; url: string }
  /** Null for a rule of pages, whose messages come with the details of a page. */
  ofSite: SiteRule | null
}

export type DescribedRules = ReadonlyMap<string, DescribedRule>

export const describedRules = ({ rules }: AuditRules): DescribedRules =>
  new Map([
    ...siteRules.map((rule): [string, DescribedRule] => [rule.id, { ...rule, ofSite: rule }]),
    ...rules.map(({ id, ...rule }): [string, DescribedRule] => [id, { ...rule, ofSite: null }]),
  ])

const because: Record<Need, string> = {
  headers: 'audit-site does not read the stored response headers, except X-Robots-Tag',
  redirects:
    'a crawl stores no statuses of redirects; site/redirect-chain and site/redirected-link find them',
  site: 'a crawl stores neither the rules of robots.txt for other crawlers nor the status of llms.txt',
  time: 'this crawl stored no response times: its pages are rendered, or an earlier version stored them',
}

/** Returns the rules that do not apply to the run, each with the reason. */
export function lackingRules({ rules }: AuditRules, site: Site): Map<string, string> {
  const reasons = new Map<string, string>()
  for (const { id, needs } of rules)
    if (needs !== null && !(needs === 'time' && site.hasTimes)) reasons.set(id, because[needs])
  for (const rule of siteRules) {
    const lack = rule.lacks?.(site) ?? null
    if (lack !== null) reasons.set(rule.id, lack)
  }
  return reasons
}
