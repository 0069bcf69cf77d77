/** Names under which a property may stand on a page: its own, its aliases, and those of schema.org and Open Graph. */

/** Ignores case, white space and punctuation: `datePublished`, `Date published` and `date_published` are one name. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Names of each group mean the same. A dot leads into an item within. */
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
  for (const name of group) if (!name.includes('.')) groupOf.set(plainName(name), group)

/** A name as its parts in plain form, outermost first. */
export type NamePath = readonly string[]

/** Returns the names to look for, the exact ones first. */
export function namesOf(property: string, aliases: readonly string[]): NamePath[] {
  const own = [property, ...aliases]
  const similar = own.flatMap(name => groupOf.get(plainName(name)) ?? [])
  const paths = [...own, ...similar].map(name => name.split('.').map(plainName))
  const seen = new Set<string>()
  return paths.filter(path => {
    const key = path.join('.')
    if (path.includes('') || seen.has(key)) return false
    seen.add(key)
    return true
  })
}
