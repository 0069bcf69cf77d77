/** Whether a page permits indexing. */
import type { PageFacts } from '@tidemark/html/page-facts'
import { hasPassed, robotsRules } from '@tidemark/html/signals/robots-tag'

type Metas = Pick<PageFacts, 'robotsMeta' | 'metas'>

/** Matches the name of a meta element for one crawler, such as `googlebot`, `googlebot-news` and `baiduspider`. */
const crawler = /(?:bot|spider)(?:-[a-z]+)?$|^(?:slurp|teoma|yandex)$/

const silencing = new Set(['noindex', 'none'])

/** Returns all directives of robots metas, those for all crawlers first, else null. */
export function metaRobotsOf({ robotsMeta, metas }: Metas): string | null {
  const named = metas.filter(([name]) => crawler.test(name))
  const directives = [
    ...(robotsMeta.length > 0 ? [robotsMeta.join(', ')] : []),
    ...named.map(([name, content]) => `${name}: ${content.toLowerCase()}`),
  ]
  return directives.length > 0 ? directives.join('; ') : null
}

/**
 * Returns whether a meta or X-Robots-Tag forbids indexing to any crawler, or expired.
 * @param now milliseconds since 1970
 */
export function isNoindex(metas: Metas | null, robotsTag: string | null, now: number): boolean {
  const { robotsMeta = [], metas: named = [] } = metas ?? {}
  const ofCrawlers = metaRules(named.filter(([name]) => crawler.test(name)).map(([, content]) => content))
  const ofHeader = robotsTag === null ? [] : Object.values(robotsRules([robotsTag])).flat()
  const rules = [...metaRules([robotsMeta.join(',')]), ...ofCrawlers, ...ofHeader]
  return rules.some(rule => silencing.has(rule) || hasPassed(rule, now))
}

/** Returns the directives of meta elements, parsed like the header, where a date with a comma is one directive. */
export const metaRules = (contents: readonly string[]): string[] => robotsRules(contents)['*'] ?? []
