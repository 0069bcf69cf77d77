/** `POST /v1/cloud/crawl`: a small crawl that the client waits for. */
import { type Static, Type } from 'typebox'
import { BackendName } from '../ask/means.ts'
import { said } from '../primitives.ts'
import { chrome, ofPage, returnFormatOf, spent, Url } from './cloud-page.ts'

export const CloudCrawlRequest = Type.Object(
  {
    url: Url,
    limit: Type.Integer({ default: 20, minimum: 1, maximum: 500, description: 'At most so many pages.' }),
    return_format: returnFormatOf('markdown', 'raw', 'text', 'commonmark'),
    chrome,
  },
  { $id: 'CloudCrawlRequest' },
)
export type CloudCrawlRequest = Static<typeof CloudCrawlRequest>

export const CloudCrawlItem = Type.Object({
  url: ofPage.url,
  content: Type.String({ description: 'The page, in the format that was asked for.' }),
  status: ofPage.status,
  depth: Type.Integer({ description: 'Links between the first page and this one.' }),
  backend: said(BackendName, 'Who had the page.'),
  blocked: ofPage.blocked,
})
export type CloudCrawlItem = Static<typeof CloudCrawlItem>

export const CloudCrawlFailure = Type.Object({
  url: Type.String({ description: 'In normal form.' }),
  reason: Type.String({ description: 'Such as robots, out_of_scope, dns, connect, tls or timeout.' }),
})
export type CloudCrawlFailure = Static<typeof CloudCrawlFailure>

export const CloudCrawl = Type.Object(
  {
    items: Type.Array(CloudCrawlItem, {
      description: 'The pages, those with the fewest links to them first.',
    }),
    failed: Type.Array(CloudCrawlFailure, {
      description: 'What was found and could not or may not be had, up to 100; it costs nothing.',
    }),
    ...spent,
  },
  { $id: 'CloudCrawl' },
)
export type CloudCrawl = Static<typeof CloudCrawl>
