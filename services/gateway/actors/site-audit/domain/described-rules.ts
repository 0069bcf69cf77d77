/** The rules of pages and of the site with their descriptions, and those that do not apply to a run. */
import type { AuditFinding } from '@tidemark/contracts/http/actors/audit-onpage'
import type { SiteAudit } from '@tidemark/contracts/http/actors/audit-site'
import type { AuditRules, Need } from '@tidemark/contracts/rpc/site-audit'
import { messageOf, type SiteRule } from './rules/rule.ts'
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
  headers: 'a crawl stores no response headers except X-Robots-Tag',
  redirects:
    'a crawl stores no statuses of redirects; site/redirect-chain and site/redirected-link find them',
  site: 'a crawl stores neither the rules of robots.txt for other crawlers nor the status of llms.txt',
  time: 'this crawl stored no response times: its pages are rendered, or an earlier version stored them',
}

export function notApplied({ rules }: AuditRules, site: Site): SiteAudit['not_applied'] {
  const ofPages = rules.flatMap(({ id, needs }) =>
    needs === null || (needs === 'time' && site.hasTimes) ? [] : [{ rule: id, because: because[needs] }],
  )
  const ofSite = siteRules.flatMap(rule => {
    const lack = rule.lacks?.(site) ?? null
    return lack === null ? [] : [{ rule: rule.id as string, because: lack }]
  })
  return [...ofPages, ...ofSite]
}

/** Returns the message of a finding of a rule of the site. */
export const siteMessage = (rule: SiteRule, count: number | null): string => messageOf(rule, count)
