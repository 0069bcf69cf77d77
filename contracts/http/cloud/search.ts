/** `POST /v1/cloud/search`: a web search with the pages of its results. */

import { type Static, Type } from 'typebox'
import { amountText } from '../../prices.ts'
import { returnFormatOf, spent } from './page.ts'

export const SearchRequest = Type.Object(
  {
    query: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'The query, in the syntax of the search engine.',
      examples: ['tide tables'],
    }),
    limit: Type.Integer({ default: 10, minimum: 1, maximum: 50, description: 'Maximum number of results.' }),
    return_format: returnFormatOf('markdown', 'raw', 'text', 'commonmark'),
  },
  { $id: 'CloudSearchRequest' },
)
export type SearchRequest = Static<typeof SearchRequest>

const SearchResult = Type.Object({
  url: Type.String({ description: 'As the search engine states it.' }),
  title: Type.String({ description: 'As the search engine states it.' }),
  content: Type.String({
    description: 'The page; if it could not be fetched, the snippet of the search engine, with a warning.',
  }),
})

export const CloudSearch = Type.Object(
  {
    results: Type.Array(SearchResult, {
      description: `Best first. Each costs ${amountText('cloud_search')}.`,
    }),
    ...spent,
  },
  { $id: 'CloudSearch' },
)
