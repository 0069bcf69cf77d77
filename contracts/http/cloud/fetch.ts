/** `/v1/cloud/scrapers` and `/v1/cloud/fetch/…`: fields of well-known sites by built-in scrapers. */
import { type Static, Type } from 'typebox'
import { warnings } from '../lists.ts'
import { ofPage, spent } from './page.ts'

export const ScraperQuery = Type.Object({
  page: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Number of the part of the list, counted from 1.',
  }),
  limit: Type.Integer({ default: 50, minimum: 1, maximum: 200, description: 'Number of scrapers per part.' }),
})

const CloudScraper = Type.Object({
  domain: Type.String({ description: 'The domain to use in the request.' }),
  paths: Type.Array(Type.String(), { description: 'Patterns of the paths that the scraper reads.' }),
  data_shape: Type.Record(Type.String(), Type.String(), {
    description: 'The fields of each entry of `data`, with their types.',
  }),
})

export const ScraperList = Type.Object(
  {
    scrapers: Type.Array(CloudScraper, { description: 'Ordered by domain.' }),
    total: Type.Integer({ description: 'Number of scrapers of this installation.' }),
    warnings,
  },
  { $id: 'CloudScraperList' },
)

const domain = (description: string, example: string) => Type.String({ description, examples: [example] })

const domainOfPath = domain('A domain of `GET /v1/cloud/scrapers`.', 'pypi.org')
const path = Type.String({
  description: 'A path of that scraper. It may contain slashes.',
  examples: ['project/requests'],
})

export const ScraperDomain = Type.Object({
  domain: domain(
    'A domain of `GET /v1/cloud/scrapers` whose scraper reads a page without a path. Other domains return 422 with the paths that they read.',
    'news.ycombinator.com',
  ),
})
export const ScraperPage = Type.Object({ domain: domainOfPath, '*': path })
/** `ScraperPage` without a wildcard, which OpenAPI does not support. */
export const ScraperPageNamed = Type.Object({ domain: domainOfPath, path })

export const ScraperOverrides = Type.Object(
  {
    params: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: 50,
        description: 'Parameters beside the path. Each scraper documents its own.',
        examples: [{ p: 2 }],
      }),
    ),
  },
  { $id: 'CloudFetchRequest' },
)

export const ScrapedData = Type.Object(
  {
    data: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'The entries of the page, with the fields of `data_shape`.',
    }),
    ...ofPage,
    ...spent,
  },
  { $id: 'CloudData' },
)
export type ScrapedData = Static<typeof ScrapedData>
