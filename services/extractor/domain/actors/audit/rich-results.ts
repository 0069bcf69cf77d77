/** Rules of what is described: that it has what search engines ask for, and that its values can be. */
import type { Item } from './described.ts'
import { isMet, isRecord, valuesOf } from './properties.ts'
import { type Requirement, recommendations, requirements } from './required-properties.ts'
import { among, type Rule } from './rule.ts'
import { google, schemaOrg } from './sources.ts'

const dates = [
  'datePublished',
  'dateModified',
  'dateCreated',
  'uploadDate',
  'datePosted',
  'startDate',
  'endDate',
  'validThrough',
]
/** ISO 8601, as much of it as schema.org's Date and DateTime take. */
const isoDate =
  /^\d{4}(?:-\d{2}(?:-\d{2}(?:[T ]\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d+)?)?\s?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/i

export const richResultRules: readonly Rule[] = [
  ...Object.entries(requirements).map(([name, requirement]) =>
    ruleOf(name, requirement, {
      severity: 'error',
      finds: 'without what search engines require of it',
      reason: 'It is not shown as a rich result.',
      says: 'Search engines require it.',
    }),
  ),
  ...Object.entries(recommendations).map(([name, requirement]) =>
    ruleOf(name, requirement, {
      severity: 'info',
      finds: 'without what search engines recommend for it',
      reason: 'It is understood and shown with less.',
      says: 'Search engines recommend it.',
    }),
  ),
  {
    id: 'schema/date-invalid',
    on: 'pages',
    severity: 'warning',
    finds: `A date (${dates.join(', ')}) that is not written as ISO 8601`,
    reason: 'It is not understood.',
    source: schemaOrg('Date'),
    find: ({ structured: { items } }) =>
      among(
        items.flatMap(item => dates.flatMap(name => badDates(item, name))),
        n =>
          `${n === 1 ? 'A date is' : `${n} dates are`} not written as ISO 8601. Write for example 2026-11-22T08:00:00+01:00.`,
        date => date,
      ),
  },
  {
    id: 'schema/rating-out-of-range',
    on: 'pages',
    severity: 'error',
    finds:
      'A ratingValue above bestRating (5 where none is stated) or below worstRating (1 where none is stated; 0 is let pass)',
    reason: 'Search engines do not show such a rating.',
    source: google('review snippet', 'appearance/structured-data/review-snippet'),
    find: ({ structured: { items } }) =>
      among(
        items.flatMap(ratingsOf).filter(isOutOfRange),
        n =>
          `${n === 1 ? 'A rating is' : `${n} ratings are`} outside the scale. Mend the value, or state bestRating and worstRating.`,
        rating => `${String(rating.ratingValue)} of ${String(rating.bestRating ?? 5)}`,
      ),
  },
]

type Words = Pick<Rule, 'severity' | 'finds' | 'reason'> & { says: string }

function ruleOf(name: string, { types, needs, page }: Requirement, words: Words): Rule {
  const { severity, finds, reason, says } = words
  const [type = ''] = types
  return {
    id: `schema/${name}`,
    on: 'pages',
    severity,
    finds: `${type} ${finds}: ${needs.map(need => `\`${need.replaceAll('|', '` or `')}\``).join(', ')}`,
    reason,
    source: google(`structured data, ${type}`, `appearance/structured-data/${page}`),
    find: ({ structured: { items } }) => {
      const lacking = items
        .filter(({ types: own }) => own.some(type => types.includes(type)))
        .flatMap(item => lackOf(item, needs))
      return among(
        lacking,
        n => `${type}: ${n === 1 ? 'a property is' : `${n} properties are`} missing. ${says}`,
        lack => lack,
      )
    },
  }
}

/** An item of nothing but a name for itself refers to another. */
function lackOf({ types, syntax, properties }: Item, needs: readonly string[]): string[] {
  if (Object.keys(properties).every(name => name.startsWith('@'))) return []
  return needs
    .filter(need => !isMet(properties, need))
    .map(need => `${types[0]} (${syntax}): ${need.replaceAll('|', ' or ')}`)
}

function badDates({ properties }: Item, name: string): string[] {
  return valuesOf(properties, name)
    .filter(value => typeof value === 'string')
    .filter(value => !isoDate.test(value.trim().slice(0, 60)))
    .map(value => `${name}: ${value}`)
}

function ratingsOf({ types, properties }: Item): Record<string, unknown>[] {
  const own = types.includes('AggregateRating') || types.includes('Rating') ? [properties] : []
  const inReviews = valuesOf(properties, 'review')
    .filter(isRecord)
    .flatMap(review => valuesOf(review, 'reviewRating'))
  const stated = [
    ...valuesOf(properties, 'aggregateRating'),
    ...valuesOf(properties, 'reviewRating'),
    ...inReviews,
  ]
  return [...own, ...stated.filter(isRecord)]
}

function isOutOfRange(rating: Record<string, unknown>): boolean {
  const number = (name: string, usual: number): number => {
    const stated = rating[name]
    return typeof stated === 'number' || (typeof stated === 'string' && stated.trim() !== '')
      ? Number(stated)
      : usual
  }
  const value = number('ratingValue', Number.NaN)
  return value > number('bestRating', 5) || value < number('worstRating', 0)
}
