/** URLs of a run that got no HTTP response. */
import { type Static, Type } from 'typebox'
import { described, orNull, Timestamp } from '../primitives.ts'
import { as_of } from './as-of.ts'
import { formatField, nextOffset, warnings, windowOf } from './lists.ts'

const properties = {
  url: Type.String({ description: 'The URL in normal form.' }),
  reason: Type.String({ description: 'Such as dns, connect, tls, timeout or too_large.' }),
  sentence: Type.String({ description: 'The reason in words.' }),
  attempts: Type.Integer({
    minimum: 0,
    description:
      'Number of attempts. For a seed whose robots.txt could not be fetched: attempts for robots.txt.',
  }),
  at: described(Timestamp, 'Time of the failure.'),
  found_from: orNull(
    Type.String({ description: 'The page with the link to the URL; null: the seed, or a sitemap lists it.' }),
  ),
}

/** The CSV columns, in order. */
export const errorColumns = Object.keys(properties) as (keyof typeof properties)[]

export const RunError = Type.Object(properties, { $id: 'RunError' })
export type RunError = Static<typeof RunError>

export const RunErrorList = Type.Object(
  {
    items: Type.Array(RunError, { description: 'In the order of the failures.' }),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'RunErrorList' },
)
export type RunErrorList = Static<typeof RunErrorList>

export const RunErrorQuery = Type.Object({
  ...windowOf(1000),
  format: formatField,
  as_of,
})
