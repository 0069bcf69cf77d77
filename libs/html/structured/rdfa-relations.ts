/** The relations that an element states by `rel` and `rev`, and whether there is anything to look for at all. */
import type { Element } from 'domhandler'
import { wordsAsWritten } from './attributes.ts'
import { isOpenGraph } from './open-graph.ts'

/**
 * Returns the relations of an element, or null. Beside `property` only those with a prefix count (HTML+RDFa 1.1, 3.1).
 * HTML's own link types are not statements, and neither is the URL of a `<link>` with an extension relation type (RFC
 * 8288, 2.1.2).
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

/** Whether an element could state anything, or let others do so; quick, for on most pages none does. */
export function mayState({ name, attribs }: Element): boolean {
  if (attribs.typeof !== undefined || attribs.vocab !== undefined) return true
  if (
    attribs.property !== undefined &&
    (name !== 'meta' || /\s/.test(attribs.property) || !isOpenGraph(attribs.property))
  )
    return true
  return isRelation(attribs.rel) || isRelation(attribs.rev)
}

/** Without a vocabulary only what has a prefix is a statement, and three words that everybody knows. */
const isRelation = (stated: string | undefined): boolean =>
  stated !== undefined && /:|license|describedby|role/i.test(stated)
