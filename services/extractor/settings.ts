/** Everything that can be set for the extractor. */
import { connections, databaseConnection, redisConnection } from '@tidemark/config/connections'
import { bodies, objectStore } from '@tidemark/content/settings'
import { type Static, Type } from 'typebox'

export const Settings = Type.Object({
  ...connections,
  ...databaseConnection,
  ...redisConnection,
  ...bodies,
  ...objectStore,
  EXTRACT_MESSAGES: Type.Integer({
    default: 16,
    minimum: 1,
    maximum: 256,
    description: 'Messages of pages that one process holds at once.',
  }),
  MAX_DECODED_BYTES: Type.Integer({
    default: 20 * 1024 ** 2,
    minimum: 1024,
    description: 'Most bytes that a body may decode to; a page beyond that has failed.',
  }),
  ROBOTS_TOKEN: Type.String({
    default: 'tidemark',
    description:
      'Product token whose group of a robots.txt is obeyed by maps and told of by GET /v1/robots-policy; set it for crawl-coordinator too.',
  }),
  SCAN_TIMEOUT_MS: Type.Integer({
    default: 20_000,
    minimum: 1000,
    maximum: 30_000,
    description: 'Time for fetching one page of a scan, redirects included.',
  }),
  CONTENT_TIMEOUT_MS: Type.Integer({
    default: 5_000,
    minimum: 100,
    maximum: 10_000,
    description: 'Time for reading one page as content; a page that takes longer has failed.',
  }),
  TRANSFORM_PDF: Type.Boolean({
    default: false,
    description:
      'Whether POST /v1/cloud/transform reads PDFs (input_kind pdf_base64). They are read on a thread of their own, which takes up to 512 MB while it is there; without it they are refused with 422.',
  }),
  MAP_TIMEOUT_MS: Type.Integer({
    default: 20_000,
    minimum: 1000,
    maximum: 25_000,
    description:
      'Time for POST /v1/map to read what a site says of its addresses; what takes longer is left out.',
  }),
})
export type Settings = Static<typeof Settings>
