/**
 * Recognizes the classes of microformats and their properties: microformats2 by the form of the name, and older ones
 * by tables ("microformats2 parsing", backward compatibility; the tables follow the wiki's pages of each format).
 */
import { wordsAsWritten } from '../tree/attribute.ts'

export type PropertyKind = 'p' | 'u' | 'dt' | 'e'

export type Property = { kind: PropertyKind; name: string }

const name = '(?:[a-z0-9]+-)?[a-z]+(?:-[a-z]+)*'
const rootForm = new RegExp(`^h-${name}$`)
const propertyForm = new RegExp(`^(p|u|dt|e)-(${name})$`)

/**
 * Classes of utility-first style sheets for the height of a box. They look like roots, and are on very many pages.
 */
const heights = new Set(
  'h-auto h-dvh h-dvw h-fit h-full h-lh h-lvh h-lvw h-max h-min h-none h-px h-screen h-svh h-svw'.split(' '),
)

/** Returns the distinct types of the microformats2 that an element begins, sorted. */
export const rootsIn = (classes: readonly string[]): string[] =>
  [...new Set(classes.filter(word => rootForm.test(word) && !heights.has(word)))].sort()

const hyphen = 0x2d

/** The formats of the wiki. Other names may have been chosen for other reasons. */
const known = new Set(
  (
    'h-adr h-app h-audio h-card h-cite h-entry h-event h-feed h-geo h-item h-leg h-listing h-measure h-media ' +
    'h-money h-news h-org h-product h-recipe h-resume h-review h-review-aggregate h-trip'
  ).split(' '),
)

/** Returns whether one of the types is a format of the wiki or a declared experiment (`h-x-...`). */
export const isFormat = (types: readonly string[]): boolean =>
  types.some(type => known.has(type) || type.startsWith('h-x-'))

/** Returns the properties of microformats2 among classes. */
export function propertiesIn(classes: readonly string[]): Property[] {
  const found = new Map<string, Property>()
  for (const word of classes) {
    if (word.charCodeAt(1) !== hyphen && word.charCodeAt(2) !== hyphen) continue
    const [, kind, property] = propertyForm.exec(word) ?? []
    if (kind !== undefined && property !== undefined)
      found.set(word, { kind: kind as PropertyKind, name: property })
  }
  return [...found.values()]
}

/** Returns the distinct types of older classes, sorted. */
export const olderRootsIn = (classes: readonly string[]): string[] =>
  [...new Set(classes.map(word => olderRoots.get(word)).filter(type => type !== undefined))].sort()

/** Older formats in which the class `item` begins a microformat. Elsewhere it is a common word. */
export const olderWithItems: ReadonlySet<string> = new Set(['h-review', 'h-review-aggregate'])

/** Returns the properties of an older microformat of these types among an element's classes and `rel`. */
export function olderPropertiesIn(
  types: readonly string[],
  classes: readonly string[],
  rel: string | undefined,
): Property[] {
  const found = new Map<string, Property>()
  const relations = wordsAsWritten(rel?.toLowerCase()).map(word => `rel=${word}`)
  for (const type of types) {
    for (const word of [...classes, ...relations]) {
      const property = olderProperties[type]?.get(word)
      if (property !== undefined) found.set(`${property.kind}-${property.name}`, property)
    }
  }
  return [...found.values()]
}

const olderRoots: ReadonlyMap<string, string> = new Map([
  ['adr', 'h-adr'],
  ['geo', 'h-geo'],
  ['hentry', 'h-entry'],
  ['hfeed', 'h-feed'],
  ['hnews', 'h-news'],
  ['hproduct', 'h-product'],
  ['hrecipe', 'h-recipe'],
  ['hresume', 'h-resume'],
  ['hreview', 'h-review'],
  ['hreview-aggregate', 'h-review-aggregate'],
  ['vcard', 'h-card'],
  ['vevent', 'h-event'],
])

const beginning = new RegExp(
  `(?:^|[\\t\\n\\f\\r ])(?:h-[a-z0-9]|(?:${[...olderRoots.keys()].join('|')})(?![^\\t\\n\\f\\r ]))`,
)

/** Returns whether a class attribute could begin a microformat. It is fast, because most pages have none. */
export const mayBegin = (classes: string): boolean => beginning.test(classes)

const address = 'p: post-office-box extended-address street-address locality region postal-code country-name'
const geo = 'p: latitude longitude'

/** Properties by type: the kind, then the class in the page, `a>b` if the property has another name. */
const written: Readonly<Record<string, string>> = {
  'h-adr': address,
  'h-geo': geo,
  'h-card':
    'p: fn>name adr geo honorific-prefix given-name additional-name family-name honorific-suffix ' +
    'nickname sort-string label tel tz title>job-title role org organization-name organization-unit note category ' +
    'class mailer agent rel=tag>category, u: email url photo logo sound uid key, dt: bday rev',
  'h-entry':
    'p: entry-title>name entry-summary>summary author category rel=tag>category geo, ' +
    'e: entry-content>content, dt: published updated, u: rel=bookmark>url',
  'h-feed': 'p: site-title>name site-description>summary author category rel=tag>category, u: url photo',
  'h-news': 'p: entry geo source-org dateline, u: rel=principles>principles',
  'h-event':
    'p: summary>name description category location geo attendee contact organizer class status, u: url uid, ' +
    'dt: dtstart>start dtend>end duration dtstamp last-modified created',
  'h-product':
    'p: fn>name brand category description price review listing rel=tag>category, u: photo url identifier',
  'h-recipe':
    'p: fn>name ingredient yield author summary nutrition category rel=tag>category, u: photo, e: instructions, ' +
    'dt: duration published',
  'h-resume': 'p: summary contact education experience skill affiliation publication',
  'h-review':
    'p: summary>name item reviewer>author rating best worst average type category rel=tag>category, u: url rel=bookmark>url, ' +
    'e: description>content, dt: dtreviewed>published',
  'h-review-aggregate':
    'p: summary>name fn>name item rating average best worst count votes category rel=tag>category, e: description>content, ' +
    'dt: dtreviewed>published, u: url',
  'h-item': 'p: fn>name, u: url photo',
}

const olderProperties: Readonly<Record<string, ReadonlyMap<string, Property>>> = Object.fromEntries(
  Object.entries(written).map(([type, row]) => [type, new Map(row.split(', ').flatMap(propertiesOf))]),
)

function propertiesOf(part: string): [string, Property][] {
  const [kind = '', names = ''] = part.split(': ')
  return names.split(' ').map(entry => {
    const [word = '', property = word] = entry.split('>')
    return [word, { kind: kind as PropertyKind, name: property }]
  })
}
