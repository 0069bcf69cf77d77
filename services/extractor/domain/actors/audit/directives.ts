/** Directives for search engines in meta elements and the X-Robots-Tag header, with their origin. */
import type { PageFacts } from '@tidemark/html/page-facts'
import { robotsRules } from '@tidemark/html/signals/robots-tag'
import { metaRules } from '../indexing.ts'

export type Directive = { rule: string; where: 'meta robots' | 'meta googlebot' | 'X-Robots-Tag' }

/** Returns the directives for all crawlers and for Googlebot. */
export function directivesOf({ robotsMeta, metas }: PageFacts, header: string | null): Directive[] {
  const toGoogle = metas.filter(([name]) => name === 'googlebot').map(([, content]) => content)
  const { '*': forAll = [], googlebot = [] } = header === null ? {} : robotsRules([header])
  const from = (where: Directive['where'], rules: readonly string[]) => rules.map(rule => ({ rule, where }))
  return [
    ...from('meta robots', metaRules([robotsMeta.join(',')])),
    ...from('meta googlebot', metaRules(toGoogle)),
    ...from('X-Robots-Tag', [...forAll, ...googlebot]),
  ]
}

export const directivesNamed = (directives: readonly Directive[], ...rules: string[]): Directive[] =>
  directives.filter(({ rule }) => rules.includes(rule))

export const mayBeIndexed = (directives: readonly Directive[]): boolean =>
  directivesNamed(directives, 'noindex', 'none').length === 0

export const shownDirective = ({ rule, where }: Directive): string => `${where}: ${rule}`
