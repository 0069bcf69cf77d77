/** Directives for search engines in meta elements and the X-Robots-Tag header, with their origin. */
import type { PageFacts } from '@tidemark/html/page-facts'
import { robotsRules } from '@tidemark/html/signals/robots-tag'
import { metaRules } from '../indexing.ts'

export type Directive = { rule: string; where: 'meta robots' | 'meta googlebot' | 'X-Robots-Tag' }

/** Returns the directives for all crawlers and for Googlebot. */
export function directivesOf({ robotsMeta, metas }: PageFacts, header: string | null): Directive[] {
  const toGoogle = metas.filter(([name]) => name === 'googlebot').map(([, content]) => content)
  const tag = header === null ? {} : robotsRules([header])
  return [
    ...metaRules([robotsMeta.join(',')]).map(rule => ({ rule, where: 'meta robots' as const })),
    ...metaRules(toGoogle).map(rule => ({ rule, where: 'meta googlebot' as const })),
    ...[...(tag['*'] ?? []), ...(tag.googlebot ?? [])].map(rule => ({
      rule,
      where: 'X-Robots-Tag' as const,
    })),
  ]
}

export const directivesNamed = (directives: readonly Directive[], ...rules: string[]): Directive[] =>
  directives.filter(({ rule }) => rules.includes(rule))

export const mayBeIndexed = (directives: readonly Directive[]): boolean =>
  directivesNamed(directives, 'noindex', 'none').length === 0

export const shownDirective = ({ rule, where }: Directive): string => `${where}: ${rule}`
