/**
 * Reads the relations of an element from `rel` and `rev`, and decides whether an element can have statements at all.
 */
import type { Element } from 'domhandler'
import { wordsAsWritten } from '../tree/attribute.ts'
import { isOpenGraph } from './open-graph.ts'

/**
 * Returns the relations of an element, or null. Beside `property` only relations with a prefix count (HTML+RDFa 1.1,
 * 3.1). Relations that only control the handling of a link are not statements. Extension relations of a `<link>` that
 * are addresses are not statements either (RFC 8288, 2.1.2).
 */
export function relationsOf({ name: element, attribs }: Element, name: 'rel' | 'rev'): string[] | null {
  const stated = attribs[name]
  if (stated === undefined) return null
  const words = wordsAsWritten(stated).filter(
    word => !handling.has(word.toLowerCase()) && !(element === 'link' && word.includes('://')),
  )
  if (attribs.property === undefined) return words
  const meant = words.filter(word => word.includes(':'))
  return meant.length === 0 ? null : meant
}

const handling = new Set(
  'dns-prefetch icon modulepreload nofollow noopener noreferrer opener preconnect prefetch preload sponsored stylesheet ugc'.split(
    ' ',
  ),
)

/**
 * Returns whether an element could have statements, or allow others to have them. It is fast, because most pages have
 * none.
 */
export function mayState({ name, attribs }: Element): boolean {
  if (attribs.typeof !== undefined || attribs.vocab !== undefined) return true
  if (
    attribs.property !== undefined &&
    (name !== 'meta' || /\s/.test(attribs.property) || !isOpenGraph(attribs.property))
  )
    return true
  return isRelation(attribs.rel) || isRelation(attribs.rev)
}

/**
 * Returns whether a value may be a relation. Without a vocabulary, only names with a prefix and three common words
 * count.
 */
const isRelation = (stated: string | undefined): boolean =>
  stated !== undefined && /:|license|describedby|role/i.test(stated)
