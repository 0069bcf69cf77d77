/** Chooses the examples of each rule: the first new findings by page, and then the first of the others. */
import type { Change } from '@tidemark/contracts/http/actors/audit-site'
import type { Comparison } from './comparison.ts'
import type { Finding } from './finding-log.ts'
import type { Site } from './site.ts'

export type ChosenExample = Finding & { page: number; change: Change | null }

/** Returns up to `most` examples by rule. */
export function chosenExamples(
  { pages, log }: Site,
  comparison: Comparison | null,
  most: number,
): Map<string, ChosenExample[]> {
  const chosen = new Map<string, { fresh: ChosenExample[]; others: ChosenExample[] }>()
  for (let page = 0; page < pages.length; page++)
    for (const finding of log.of(page)) {
      const lists = chosen.get(finding.rule) ?? { fresh: [], others: [] }
      chosen.set(finding.rule, lists)
      if (lists.fresh.length === most) continue
      const change = comparison?.changeOf(page, finding.rule) ?? null
      const list = change === 'new' ? lists.fresh : lists.others
      if (list.length < most) list.push({ ...finding, page, change })
    }
  return new Map([...chosen].map(([rule, { fresh, others }]) => [rule, [...fresh, ...others].slice(0, most)]))
}
