/** All rules of a site, by area. Ids never change. */
import type { Site } from '../site.ts'
import { canonicalRules } from './canonical.ts'
import { duplicateRules } from './duplicates.ts'
import { hreflangRules } from './hreflang.ts'
import { linkRules } from './links.ts'
import { reachRules } from './reach.ts'
import type { SiteRule } from './rule.ts'

/** Areas of rules with their names in the documentation. */
export const siteAreas: readonly (readonly [name: string, rules: readonly SiteRule[]])[] = [
  ['Duplicates', duplicateRules],
  ['Canonical URLs of the site', canonicalRules],
  ['Versions in other languages, compared', hreflangRules],
  ['Links between pages', linkRules],
  ['Reach', reachRules],
]

export const siteRules: readonly SiteRule[] = siteAreas.flatMap(([, rules]) => rules)

/** Applies all rules one after the other, with a pause after each, and records what they find. */
export async function applySiteRules(site: Site, pause: () => Promise<void>): Promise<void> {
  for (const rule of siteRules) {
    if ((rule.lacks?.(site) ?? null) !== null) continue
    const warning = rule.find(site, (page, count, related = []) =>
      site.log.addOfSite({ page, rule: rule.id, count, related }),
    )
    if (warning !== undefined) site.warnings.push(warning)
    if (warning !== undefined || rule.isPartial?.(site)) site.log.markPartial(rule.id)
    await pause()
  }
}
