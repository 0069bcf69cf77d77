/** `/v1/crawls/{id}/share`: a read-only address of one crawl for people without a key. */
import { Type } from 'typebox'
import { maxShareHours } from '../account.ts'
import { described, Timestamp } from '../primitives.ts'
import { warnings } from './lists.ts'

export const CrawlShareRequest = Type.Object(
  {
    expires_in_hours: Type.Integer({
      minimum: 1,
      maximum: maxShareHours,
      default: 168,
      description: 'Hours until the address ends.',
    }),
  },
  { $id: 'CrawlShareRequest' },
)

export const CrawlShare = Type.Object(
  {
    url: Type.String({
      description:
        'The address. It opens the crawl in the console without a key, for every person that has it. It also ends with the key that made it, and by DELETE of the same path.',
    }),
    expires_at: described(Timestamp, 'Time at which the address ends.'),
    warnings,
  },
  { $id: 'CrawlShare' },
)
