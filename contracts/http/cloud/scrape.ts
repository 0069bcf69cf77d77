/** `POST /v1/cloud/scrape`: one page from the cheapest backend that can fetch it, or from a given backend. */

import { type Static, Type } from 'typebox'
import { oneOf } from '../../primitives.ts'
import { Country, chrome, Pool, returnFormatOf, Url } from './page.ts'
import { PageActions } from './page-action.ts'

export const ScrapeRequest = Type.Object(
  {
    url: Url,
    return_format: returnFormatOf('markdown', 'raw', 'text', 'commonmark'),
    chrome,
    force_backend: oneOf(['auto', 'local', 'vendor', 'proxy'], {
      default: 'auto',
      description:
        'auto tries the backends from the cheapest up until one returns the page without a challenge; local is this installation without proxies.',
    }),
    proxy_pool: Type.Optional(Pool),
    proxy_country: Type.Optional(Country),
    actions: Type.Optional(PageActions),
  },
  { $id: 'CloudScrapeRequest' },
)
export type ScrapeRequest = Static<typeof ScrapeRequest>
