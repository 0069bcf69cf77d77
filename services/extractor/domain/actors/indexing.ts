/** Whether a page wants a place in an index. */
import type { PageFacts } from '@tidemark/html/page-facts'
import { robotsRules } from '@tidemark/html/signals/robots-tag'
import { hasPassed } from './audit/directives.ts'

type Metas = Pick<PageFacts, 'robotsMeta' | 'metas'>

/** Metas that are for one crawler, by its name: `googlebot`, `bingbot`, `googlebot-news`, `baiduspider` … */
const crawler = /(?:bot|spider)(?:-[a-z]+)?$|^(?:slurp|teoma|yandex)$/

const silencing = new Set(['noindex', 'none'])

/** All that the robots metas say, those for everybody first; null where there is none. */
export function metaRobotsOf({ robotsMeta, metas }: Metas): string | null {
  const named = metas.filter(([name]) => crawler.test(name))
  const said = [
    ...(robotsMeta.length > 0 ? [robotsMeta.join(', ')] : []),
    ...named.map(([name, content]) => `${name}: ${content.toLowerCase()}`),
  ]
  return said.length > 0 ? said.join('; ') : null
}

/**
 * Whether anybody is told not to index it, or no longer, by a meta or by X-Robots-Tag.
 * @param now milliseconds since 1970
 */
export function isNoindex(metas: Metas | null, robotsTag: string | null, now: number): boolean {
  const { robotsMeta = [], metas: named = [] } = metas ?? {}
  const ofCrawlers = named.filter(([name]) => crawler.test(name)).flatMap(([, content]) => rulesIn(content))
  const ofHeader = robotsTag === null ? [] : Object.values(robotsRules([robotsTag])).flat()
  const rules = [...rulesIn(robotsMeta.join(',')), ...ofCrawlers, ...ofHeader]
  return rules.some(rule => silencing.has(rule) || hasPassed(rule, now))
}

/** As in the header: a date with a comma in it is one rule. */
const rulesIn = (content: string): string[] => robotsRules([content])['*'] ?? []
