/** `POST /v1/cloud/links`: the links that go out from one page. */
import { type Static, Type } from 'typebox'
import { ofPage, spent, Url } from './cloud-page.ts'

export const LinksRequest = Type.Object(
  {
    url: Url,
    limit: Type.Integer({ default: 100, minimum: 1, maximum: 5_000, description: 'At most so many.' }),
  },
  { $id: 'CloudLinksRequest' },
)
export type LinksRequest = Static<typeof LinksRequest>

export const CloudLinks = Type.Object(
  {
    links: Type.Array(Type.String(), {
      description: 'Absolute and in normal form, each once, in the order in which they stand on the page.',
    }),
    total: Type.Integer({ description: 'Links of the page, listed here or not.' }),
    ...ofPage,
    ...spent,
  },
  { $id: 'CloudLinks' },
)
export type CloudLinks = Static<typeof CloudLinks>
