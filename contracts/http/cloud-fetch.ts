/** `/v1/cloud/scrapers` and `/v1/cloud/fetch/…`: well-known sites, read into fields by ready-made scrapers. */
import { type Static, Type } from 'typebox'
import { ofPage, spent } from './cloud-page.ts'

export const ScraperQuery = Type.Object({
  page: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Which part of the list, counted from 1.',
  }),
  limit: Type.Integer({ default: 50, minimum: 1, maximum: 200, description: 'Scrapers of a part.' }),
})

const CloudScraper = Type.Object({
  domain: Type.String({ description: 'What to ask it by.' }),
  paths: Type.Array(Type.String(), { description: 'Patterns of the paths that it reads.' }),
  data_shape: Type.Record(Type.String(), Type.String(), {
    description: 'The fields of each entry of `data`, each with what it is.',
  }),
})

export const ScraperList = Type.Object(
  {
    scrapers: Type.Array(CloudScraper, { description: 'In the order of their domains.' }),
    total: Type.Integer({ description: 'Scrapers of this installation.' }),
  },
  { $id: 'CloudScraperList' },
)

const domain = Type.String({
  description: 'A domain of `GET /v1/cloud/scrapers`.',
  examples: ['pypi.org'],
})
const path = Type.String({
  description: 'A path of that scraper; it may have slashes.',
  examples: ['project/requests'],
})

export const ScraperDomain = Type.Object({ domain })
export const ScraperPage = Type.Object({ domain, '*': path })
/** The same as the document names it: no path of OpenAPI has a star. */
export const ScraperPageNamed = Type.Object({ domain, path })

export const ScraperOverrides = Type.Object(
  {
    params: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: 50,
        description: 'What the scraper takes beside its path; each says what it knows.',
        examples: [{ limit: 10 }],
      }),
    ),
  },
  { $id: 'CloudFetchRequest' },
)

export const ScrapedData = Type.Object(
  {
    data: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'What the page has, entry by entry, in the fields of `data_shape`.',
    }),
    ...ofPage,
    ...spent,
  },
  { $id: 'CloudData' },
)
export type ScrapedData = Static<typeof ScrapedData>
