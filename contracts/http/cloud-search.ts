/** `POST /v1/cloud/search`: a search of the web, with the pages that it finds. */
import { type Static, Type } from 'typebox'
import { returnFormatOf, spent } from './cloud-page.ts'

export const SearchRequest = Type.Object(
  {
    query: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'What is looked for, in the words of the engine.',
      examples: ['tide tables'],
    }),
    limit: Type.Integer({ default: 10, minimum: 1, maximum: 50, description: 'At most so many results.' }),
    return_format: returnFormatOf('markdown', 'raw', 'text', 'commonmark'),
  },
  { $id: 'CloudSearchRequest' },
)
export type SearchRequest = Static<typeof SearchRequest>

const SearchResult = Type.Object({
  url: Type.String({ description: 'As the engine has it.' }),
  title: Type.String({ description: 'As the engine has it.' }),
  content: Type.String({
    description: 'The page; where it could not be had, what the engine says of it, and a warning.',
  }),
})
export type SearchResult = Static<typeof SearchResult>

export const CloudSearch = Type.Object(
  {
    results: Type.Array(SearchResult, { description: 'The best first. Each is billed as one cloud page.' }),
    ...spent,
  },
  { $id: 'CloudSearch' },
)
export type CloudSearch = Static<typeof CloudSearch>
