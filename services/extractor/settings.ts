/** Settings of the extractor. */
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
    description: 'Maximum size of a decoded body in bytes. Larger pages fail.',
  }),
  ROBOTS_TOKEN: Type.String({
    default: 'tidemark',
    description:
      'Product token whose robots.txt group applies to maps and is shown by GET /v1/robots-policy. Set it for crawl-coordinator too.',
  }),
  SCAN_TIMEOUT_MS: Type.Integer({
    default: 20_000,
    minimum: 1000,
    maximum: 30_000,
    description: 'Time to fetch one page of a scan, including redirects.',
  }),
  CONTENT_TIMEOUT_MS: Type.Integer({
    default: 5_000,
    minimum: 100,
    maximum: 10_000,
    description: 'Time to convert one page to content. Slower pages fail.',
  }),
  SCRAPERS_FOLLOW_ROBOTS: Type.Boolean({
    default: true,
    description:
      "true: POST /v1/cloud/fetch/… reads the site's robots.txt first, and rejects disallowed pages as robots_disallowed. false: it fetches them.",
  }),
  TRANSFORM_PDF: Type.Boolean({
    default: false,
    description:
      'Whether POST /v1/cloud/transform accepts PDFs (input_kind pdf_base64). They are parsed on a separate thread with up to 512 MB. If false, PDFs are 422.',
  }),
  MAP_TIMEOUT_MS: Type.Integer({
    default: 20_000,
    minimum: 1000,
    maximum: 25_000,
    description: 'Time of POST /v1/map to read the documents of a site. Slower documents are left out.',
  }),
})
export type Settings = Static<typeof Settings>
