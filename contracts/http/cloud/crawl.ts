/** `POST /v1/cloud/crawl`: a small crawl that the client waits for. */

import { type Static, Type } from 'typebox'
import { amountText } from '../../prices.ts'
import { described } from '../../primitives.ts'
import { BackendName } from '../../rpc/backends.ts'
import { chrome, ofPage, returnFormatOf, spent, Url } from './page.ts'

export const CloudCrawlRequest = Type.Object(
  {
    url: Url,
    limit: Type.Integer({ default: 20, minimum: 1, maximum: 500, description: 'Maximum number of pages.' }),
    return_format: returnFormatOf('markdown', 'raw', 'text', 'commonmark'),
    chrome,
  },
  { $id: 'CloudCrawlRequest' },
)

export const CloudCrawlItem = Type.Object({
  url: ofPage.url,
  content: Type.String({ description: 'The page in the requested format.' }),
  status: ofPage.status,
  depth: Type.Integer({ description: 'Number of links between the first page and this page.' }),
  backend: described(BackendName, 'The backend that fetched the page.'),
  blocked: ofPage.blocked,
})
export type CloudCrawlItem = Static<typeof CloudCrawlItem>

export const CloudCrawlFailure = Type.Object({
  url: Type.String({ description: 'The URL in normal form.' }),
  reason: Type.String({ description: 'Reason, such as robots, out_of_scope, dns, connect, tls or timeout.' }),
})
export type CloudCrawlFailure = Static<typeof CloudCrawlFailure>

export const CloudCrawl = Type.Object(
  {
    items: Type.Array(CloudCrawlItem, {
      description: 'The pages, those with the fewest clicks from the first page first.',
    }),
    failed: Type.Array(CloudCrawlFailure, {
      description: `Up to 100 URLs that were found and could not, or must not, be fetched. They cost ${amountText('cloud_crawl', 'failed')}.`,
    }),
    ...spent,
  },
  { $id: 'CloudCrawl' },
)
