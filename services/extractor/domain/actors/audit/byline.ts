/** Author and date of an article in machine-readable form. */
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import { valuesOf } from './properties.ts'

const articles = /^(?:\w*Article|BlogPosting|LiveBlogPosting|Report)$/
const authorNames = new Set(
  'author article:author dc.creator dcterms.creator citation_author parsely-author sailthru.author'.split(
    ' ',
  ),
)
const dateNames =
  /^(?:date|dc(?:terms)?[.:](?:date|issued|created|modified)|article:(?:published|modified)_time|pubdate|publish[-_]?date|last-modified|citation_(?:publication_)?date|parsely-pub-date|datepublished|datemodified)$/
const bylineClass = /(?:^|[\s_-])(?:byline|author)(?:$|[\s_-])/i

export function hasAuthor({ structured, facts, index }: AuditedPage): boolean {
  if (structured.items.some(({ properties }) => valuesOf(properties, 'author').length > 0)) return true
  if (facts.metas.some(([name, content]) => authorNames.has(name) && content !== '')) return true
  return index.all.some(({ element }) => {
    const { itemprop, rel, class: classes, property } = element.attribs
    if (itemprop === undefined && rel === undefined && classes === undefined && property === undefined)
      return false
    if (hasWord(element, 'rel', 'author') || hasWord(element, 'itemprop', 'author')) return true
    return (
      property === 'article:author' ||
      (classes !== undefined && classes.length < 200 && bylineClass.test(classes))
    )
  })
}

export function hasDate(page: AuditedPage): boolean {
  const { facts, index } = page
  if (datesOf(page).length > 0 || index.of('time').length > 0) return true
  if (facts.metas.some(([name, content]) => dateNames.test(name.slice(0, 60)) && content !== '')) return true
  return index.all.some(({ element }) => {
    const property = attribute(element, 'property')
    return (
      (property !== null && dateNames.test(property.slice(0, 60))) ||
      hasWord(element, 'itemprop', 'datePublished')
    )
  })
}

export type StatedDate = { name: string; value: string; time: number }

/** Returns the valid dates of the articles in structured data. */
export const datesOf = ({ structured }: AuditedPage): StatedDate[] =>
  structured.items
    .filter(({ types }) => types.some(type => articles.test(type)))
    .flatMap(({ properties }) =>
      ['datePublished', 'dateModified'].flatMap(name =>
        valuesOf(properties, name).flatMap(value => {
          const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
          return Number.isFinite(time) ? [{ name, value: String(value), time }] : []
        }),
      ),
    )
