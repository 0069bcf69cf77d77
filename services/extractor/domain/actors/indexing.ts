/** What a page says of its place in an index: whether it wants one, and whether it is known there by another address. */
import type { PageFacts } from '@tidemark/html/page-facts'
import { robotsRules } from '@tidemark/html/signals/robots-tag'
import { normalForm } from '@tidemark/url/normal-form'

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

/** Whether anybody is told not to index it, by a meta or by X-Robots-Tag. */
export function isNoindex(metas: Metas | null, robotsTag: string | null): boolean {
  const { robotsMeta = [], metas: named = [] } = metas ?? {}
  const ofCrawlers = named.filter(([name]) => crawler.test(name)).flatMap(([, content]) => rulesIn(content))
  const ofHeader = robotsTag === null ? [] : Object.values(robotsRules([robotsTag])).flat()
  return [...robotsMeta, ...ofCrawlers, ...ofHeader].some(rule => silencing.has(rule))
}

const rulesIn = (content: string): string[] =>
  content
    .toLowerCase()
    .split(',')
    .map(rule => rule.trim())

/**
 * The address in normal form that a `Link` header names as canonical (RFC 8288, 3; RFC 6596), null where it names none.
 * @param header several are joined by commas
 * @param url what it is relative to
 */
export function linkedCanonical(header: string, url: string): string | null {
  for (const [, target = '', parameters = ''] of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*(?:"[^"]*\bcanonical\b|canonical\b)/i.test(parameters)) return normalForm(target, url)
  }
  return null
}
