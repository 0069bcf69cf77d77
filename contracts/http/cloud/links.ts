/** `POST /v1/cloud/links`: the outgoing links of one page. */
import { Type } from 'typebox'
import { ofPage, spent, Url } from './page.ts'

export const LinksRequest = Type.Object(
  {
    url: Url,
    limit: Type.Integer({ default: 100, minimum: 1, maximum: 5_000, description: 'Maximum number of URLs.' }),
  },
  { $id: 'CloudLinksRequest' },
)

export const CloudLinks = Type.Object(
  {
    links: Type.Array(Type.String(), {
      description: 'Absolute and in normal form, without duplicates, in document order.',
    }),
    total: Type.Integer({ description: 'Number of links on the page, listed here or not.' }),
    ...ofPage,
    ...spent,
  },
  { $id: 'CloudLinks' },
)
