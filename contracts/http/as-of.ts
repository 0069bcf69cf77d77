/** The query field that reads a crawl as it was at an earlier time. */
import { Type } from 'typebox'

export const as_of = Type.Optional(
  Type.String({
    format: 'date-time',
    description:
      'A time in RFC 3339, not in the future: returns the crawl as it was then, from its events until that time. Absent: as it is now.',
    examples: ['2026-01-02T03:04:40.000Z'],
  }),
)

/** The query of a read of one crawl without other parameters. */
export const AsOfQuery = Type.Object({ as_of })
