/** Chooses the examples of each rule: the first new findings by page, and then the first of the others. */
import type { Change } from '@tidemark/contracts/http/actors/audit-site'
import type { Comparison } from './comparison.ts'
import type { Finding } from './finding-log.ts'
import type { Site } from './site.ts'

export type ChosenExample = Finding & { page: number; change: Change | null }

type Lists = { fresh: number[]; others: number[] }

/** Pages between two pauses. */
const pagesAtOnce = 500

/** Returns up to `maxExamples` examples by rule. @param pause is called every few hundred pages */
export async function chosenExamples(
  site: Site,
  comparison: Comparison | null,
  maxExamples: number,
  pause: () => Promise<void>,
): Promise<Map<string, ChosenExample[]>> {
  const { pages, log } = site
  const chosen = new Map<string, Lists>()
  for (let page = 0; page < pages.length; page++) {
    for (const rule of log.rulesOf(page)) {
      const lists = chosen.get(rule) ?? { fresh: [], others: [] }
      chosen.set(rule, lists)
      if (lists.fresh.length === maxExamples || (comparison === null && lists.others.length === maxExamples))
        continue
      const list = comparison?.changeOf(page, rule) === 'new' ? lists.fresh : lists.others
      if (list.length < maxExamples) list.push(page)
    }
    if (page % pagesAtOnce === 0) await pause()
  }
  return new Map(
    [...chosen].map(([rule, { fresh, others }]) => {
      const pages = [...fresh, ...others].slice(0, maxExamples)
      return [rule, pages.flatMap(page => exampleAt(site, page, rule, comparison))]
    }),
  )
}

const exampleAt = (
  { log }: Site,
  page: number,
  rule: string,
  comparison: Comparison | null,
): ChosenExample[] =>
  log
    .of(page)
    .filter(finding => finding.rule === rule)
    .map(finding => ({ ...finding, page, change: comparison?.changeOf(page, rule) ?? null }))
