/** `POST /v1/cloud/scrape`: one page, from the cheapest backend that can get it, or from the one that is named. */
import { type Static, Type } from 'typebox'
import { Country, chrome, Pool, returnFormatOf, Url } from './cloud-page.ts'

export const ScrapeRequest = Type.Object(
  {
    url: Url,
    return_format: returnFormatOf('markdown', 'raw', 'text', 'commonmark'),
    chrome,
    force_backend: Type.Union(
      [Type.Literal('auto'), Type.Literal('local'), Type.Literal('vendor'), Type.Literal('proxy')],
      {
        default: 'auto',
        description:
          'auto goes on from the cheapest backend to the next until one has the page and no challenge; local is this installation without proxies.',
      },
    ),
    proxy_pool: Type.Optional(Pool),
    proxy_country: Type.Optional(Country),
  },
  { $id: 'CloudScrapeRequest' },
)
export type ScrapeRequest = Static<typeof ScrapeRequest>
