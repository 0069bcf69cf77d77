/** URLs of a run that failed on the way and never became an answer. */
import { type Static, Type } from 'typebox'
import { orNull, said, Timestamp } from '../primitives.ts'
import { nextOffset, windowOf } from './lists.ts'

const properties = {
  url: Type.String({ description: 'In normal form.' }),
  reason: Type.String({ description: 'Such as dns, connect, tls, timeout or too_large.' }),
  sentence: Type.String({ description: 'The reason in words.' }),
  attempts: Type.Integer({ minimum: 0, description: 'How often it was tried.' }),
  at: said(Timestamp, 'When it was given up.'),
  found_from: orNull(
    Type.String({ description: 'The page that led to it; null for the seed and for what a sitemap lists.' }),
  ),
}

/** The columns of a row of text, in order. */
export const errorColumns = Object.keys(properties) as (keyof typeof properties)[]

export const RunError = Type.Object(properties, { $id: 'RunError' })
export type RunError = Static<typeof RunError>

export const RunErrorList = Type.Object(
  {
    items: Type.Array(RunError, { description: 'In the order in which they were given up.' }),
    next_offset: nextOffset,
  },
  { $id: 'RunErrorList' },
)
export type RunErrorList = Static<typeof RunErrorList>

export const RunErrorQuery = Type.Object({
  ...windowOf(1000),
  format: Type.Optional(
    Type.Union([Type.Literal('json'), Type.Literal('ndjson'), Type.Literal('csv')], {
      description: 'json unless the Accept header wants application/x-ndjson or text/csv.',
      examples: ['ndjson'],
    }),
  ),
})
export type RunErrorQuery = Static<typeof RunErrorQuery>
