/** Names under which a property may stand on a page: its own, its aliases, and those of schema.org and Open Graph. */
import { lettersOf } from '@tidemark/html/tree/letters-of'

/** The names of each group mean the same. A dot leads into a nested item. */
const groups: readonly (readonly string[])[] = [
  ['title', 'name', 'headline'],
  ['description', 'summary', 'abstract'],
  ['price', 'offers.price', 'offers.lowPrice', 'offers.priceSpecification.price', 'priceAmount'],
  ['currency', 'priceCurrency', 'offers.priceCurrency', 'offers.priceSpecification.priceCurrency'],
  ['availability', 'offers.availability', 'inStock'],
  ['rating', 'ratingValue', 'aggregateRating.ratingValue', 'stars'],
  ['reviewCount', 'ratingCount', 'aggregateRating.reviewCount', 'aggregateRating.ratingCount'],
  ['author', 'author.name', 'creator', 'byline'],
  ['brand', 'brand.name', 'manufacturer', 'manufacturer.name'],
  ['publisher', 'publisher.name', 'siteName'],
  ['published', 'publishedAt', 'datePublished', 'publicationDate', 'publishedTime', 'date'],
  ['modified', 'modifiedAt', 'updated', 'updatedAt', 'dateModified', 'modifiedTime'],
  ['image', 'imageUrl', 'thumbnail', 'thumbnailUrl'],
  ['url', 'link', 'canonical', 'mainEntityOfPage'],
  ['language', 'inLanguage', 'lang', 'locale'],
  ['phone', 'telephone', 'tel'],
  ['email', 'mail'],
  ['address', 'location', 'address.streetAddress'],
  ['city', 'address.addressLocality'],
  ['country', 'address.addressCountry'],
  ['postalCode', 'zip', 'address.postalCode'],
  ['keywords', 'tags'],
  ['category', 'section', 'articleSection'],
  ['body', 'articleBody', 'content'],
  ['start', 'startDate', 'startTime'],
  ['end', 'endDate', 'endTime'],
]

const groupOf = new Map<string, readonly string[]>()
for (const group of groups)
  for (const name of group) if (!name.includes('.')) groupOf.set(lettersOf(name), group)

/** A name as its parts in plain form, outermost first. */
export type NamePath = readonly string[]

/** Returns the names to look for, the exact ones first. */
export function namesOf(property: string, aliases: readonly string[]): NamePath[] {
  const own = [property, ...aliases]
  const similar = own.flatMap(name => groupOf.get(lettersOf(name)) ?? [])
  const paths = [...own, ...similar].map(name => name.split('.').map(lettersOf))
  const seen = new Set<string>()
  return paths.filter(path => {
    const key = path.join('.')
    if (path.includes('') || seen.has(key)) return false
    seen.add(key)
    return true
  })
}
