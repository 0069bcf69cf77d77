/** Rules for items of structured data: required properties and valid values. */

import { isObject } from '@tidemark/schema/bounds'
import { isMet, numberIn, propertiesOf, shownNeed, valuesOf } from './properties.ts'
import { type Requirement, recommendations, requirements } from './required-properties.ts'
import { among, type Rule } from './rule.ts'
import { google, schemaOrg } from './sources.ts'
import type { Item } from './structured-data.ts'

const dates =
  'datePublished dateModified dateCreated uploadDate datePosted startDate endDate validThrough'.split(' ')
/** ISO 8601, as far as schema.org's Date and DateTime use it. */
const isoDate =
  /^\d{4}(?:-\d{2}(?:-\d{2}(?:[T ]\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d+)?)?\s?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/i

/** The property that names the subject of a review or a rating. */
const subject = 'itemReviewed'

export const richResultRules: readonly Rule[] = [
  ...Object.entries(requirements).map(([name, requirement]) =>
    ruleOf(name, requirement, {
      severity: 'error',
      finds: 'without the properties that search engines require',
      reason: 'Search engines show no rich result.',
      remedy: 'Search engines require it.',
    }),
  ),
  ...Object.entries(recommendations).map(([name, requirement]) =>
    ruleOf(name, requirement, {
      severity: 'info',
      finds: 'without the properties that search engines recommend',
      reason: 'Search engines show a reduced result.',
      remedy: 'Search engines recommend it.',
    }),
  ),
  {
    id: 'schema/date-invalid',
    severity: 'warning',
    finds: `A date (${dates.join(', ')}) that is not in ISO 8601 format`,
    reason: 'Search engines ignore it.',
    source: schemaOrg('Date'),
    find: ({ structured: { items } }) =>
      among(
        items.flatMap(item => dates.flatMap(name => badDates(item, name))),
        {
          one: 'A date is not in ISO 8601 format.',
          many: '{n} dates are not in ISO 8601 format.',
          remedy: 'Use a format such as 2026-11-22T08:00:00+01:00.',
        },
      ),
  },
  {
    id: 'schema/rating-out-of-range',
    severity: 'error',
    finds: 'A ratingValue above bestRating (default 5) or below worstRating (default 1; 0 is accepted)',
    reason: 'Search engines do not show such a rating.',
    source: google('review snippet', 'appearance/structured-data/review-snippet'),
    find: ({ structured: { items } }) =>
      among(
        items.flatMap(ratingsOf).filter(({ value, best, worst }) => value > best || value < worst),
        {
          one: 'A rating is outside its scale.',
          many: '{n} ratings are outside their scale.',
          remedy: 'Correct the value, or state bestRating and worstRating.',
        },
        ({ value, best }) => `${value} of ${best}`,
      ),
  },
]

type Words = Pick<Rule, 'severity' | 'finds' | 'reason'> & { remedy: string }

function ruleOf(name: string, { types, needs, page, isPart = false }: Requirement, words: Words): Rule {
  const { severity, finds, reason, remedy } = words
  const [type = ''] = types
  const waiver = ' (unless a property of another item refers to this one)'
  const shown = needs
    .map(need => shownNeed(need, '`') + (isPart && need === subject ? waiver : ''))
    .join(', ')
  const ofPart = needs.filter(need => need !== subject)
  return {
    id: `schema/${name}`,
    severity,
    finds: `${type} ${finds}: ${shown}`,
    reason,
    source: google(`structured data, ${type}`, `appearance/structured-data/${page}`),
    find: ({ structured: { items } }) => {
      const lacking = items
        .filter(({ types: own }) => own.some(type => types.includes(type)))
        .flatMap(item => lackOf(item, isPart && item.isReferenced ? ofPart : needs))
      return among(lacking, {
        one: `${type}: a property is missing.`,
        many: `${type}: {n} properties are missing.`,
        remedy,
      })
    },
  }
}

/** Returns the missing properties. An item with only an id refers to another item and lacks nothing. */
function lackOf({ types, syntax, properties }: Item, needs: readonly string[]): string[] {
  if (Object.keys(properties).every(name => name.startsWith('@'))) return []
  return needs
    .filter(need => !isMet(properties, need))
    .map(need => `${types[0]} (${syntax}): ${shownNeed(need)}`)
}

function badDates({ properties }: Item, name: string): string[] {
  return valuesOf(properties, name)
    .filter(value => typeof value === 'string')
    .filter(value => !isoDate.test(value.trim().slice(0, 60)))
    .map(value => `${name}: ${value}`)
}

type Rating = { value: number; best: number; worst: number }

/** Returns the item itself if it is a rating, and the ratings of the item and of its reviews. */
function ratingsOf({ types, properties }: Item): Rating[] {
  const reviews = valuesOf(properties, 'review').filter(isObject).map(propertiesOf)
  const nested = [properties, ...reviews]
    .flatMap(item => [...valuesOf(item, 'aggregateRating'), ...valuesOf(item, 'reviewRating')])
    .filter(isObject)
    .map(propertiesOf)
  const isRating = types.includes('AggregateRating') || types.includes('Rating')
  return (isRating ? [properties, ...nested] : nested).map(rating => ({
    value: numberIn(rating, 'ratingValue'),
    best: numberIn(rating, 'bestRating', 5),
    worst: numberIn(rating, 'worstRating', 0),
  }))
}
