/** Settings of the extractor. */
import {
  connectionSettings,
  databaseSettings,
  egressSettings,
  redisSettings,
  secretsSettings,
} from '@tidemark/config/connections'
import { retentionSettings } from '@tidemark/config/retention'
import { timeStampingSettings } from '@tidemark/config/time-stamping'
import { bodySettings, objectStoreSettings } from '@tidemark/content/settings'
import { type Static, Type } from 'typebox'
import { modelSettings } from './settings-model.ts'

export const Settings = Type.Object({
  ...connectionSettings,
  ...databaseSettings,
  ...redisSettings,
  ...egressSettings,
  ...secretsSettings,
  ...bodySettings,
  ...objectStoreSettings,
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
      'Product token whose robots.txt group applies to maps and is shown by GET /v1/robots-policy. Set it for crawl-coordinator and gateway too.',
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
    description:
      'Processor time to convert one page to content. Up to three times as much time may pass on a busy machine. Slower pages fail.',
  }),
  SCRAPERS_FOLLOW_ROBOTS: Type.Boolean({
    default: true,
    description:
      "true: POST /v1/cloud/fetch/… reads the site's robots.txt first, and rejects disallowed pages as robots_disallowed. false: it fetches them.",
  }),
  TRANSFORM_PDF: Type.Boolean({
    default: false,
    description:
      'Whether POST /v1/cloud/transform accepts PDFs (input_kind pdf_base64). They are parsed in a separate process with up to 512 MB. If false, PDFs are rejected with 422.',
  }),
  READ_PDFS: Type.Boolean({
    default: true,
    description:
      'Whether pages that are PDFs have a title and text, in crawls, scans and exports. They are parsed in separate processes with up to 512 MB each. If false, PDFs are stored unread.',
  }),
  EXPORTS_AT_ONCE: Type.Integer({
    default: 2,
    minimum: 0,
    maximum: 16,
    description: 'Exports that one process writes at once. 0: none; other processes write them.',
  }),
  EXPORTS_PER_PROJECT: Type.Integer({
    default: 3,
    minimum: 1,
    maximum: 1000,
    description: 'Maximum unfinished exports of a project. Further requests are rejected with 429.',
  }),
  EXPORTS_PER_DAY: Type.Integer({
    default: 200,
    minimum: 1,
    maximum: 100_000,
    description:
      'Exports that a project may request on a day (UTC), including deleted ones. Further requests are rejected with 429.',
  }),
  EXPORT_TURN_SECONDS: Type.Integer({
    default: 300,
    minimum: 1,
    maximum: 86_400,
    description: 'Time after which an export in progress waits behind others that are due.',
  }),
  EXPORT_DAYS: Type.Integer({
    default: 7,
    minimum: 1,
    maximum: 3650,
    description: 'Days for which the file of an export is kept for download.',
  }),
  EXPORT_MAX_BYTES: Type.Integer({
    default: 10 * 1024 ** 3,
    minimum: 1024,
    maximum: 64 * 1024 ** 3,
    description:
      'Maximum size of one export in bytes. A larger one fails. The tier of a project may set a lower one.',
  }),
  EXPORT_KEPT_BYTES: Type.Integer({
    default: 20 * 1024 ** 3,
    minimum: 1024,
    description:
      'Maximum bytes of a project in kept files and unfinished downloads. Above it, downloads fail and further requests for downloads are rejected with 429. Exports to S3 are not affected. The tier of a project may set a lower one.',
  }),
  EXPORT_LEASE_SECONDS: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 600,
    description: 'Time after which another process takes over an export whose process has died.',
  }),
  EXPORT_SWEEP_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description: 'Seconds between two sweeps, which remove old files and the leftovers of ended exports.',
  }),
  BATCHES_AT_ONCE: Type.Integer({
    default: 4,
    minimum: 0,
    maximum: 64,
    description: 'Batches of scans that one process reads at once. 0: none; other processes read them.',
  }),
  BATCH_CONCURRENCY: Type.Integer({
    default: 16,
    minimum: 1,
    maximum: 32,
    description: 'Maximum number of concurrent pages of one batch, whatever its request states.',
  }),
  BATCHES_PER_PROJECT: Type.Integer({
    default: 5,
    minimum: 1,
    maximum: 1000,
    description: 'Maximum unfinished batches of a project. Further requests are rejected with 429.',
  }),
  BATCHES_PER_DAY: Type.Integer({
    default: 200,
    minimum: 1,
    maximum: 100_000,
    description:
      'Batches that a project may request on a day (UTC), including deleted ones. Further requests are rejected with 429.',
  }),
  BATCH_TURN_SECONDS: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 86_400,
    description: 'Time after which a batch in progress waits behind others that are due.',
  }),
  BATCH_LEASE_SECONDS: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 600,
    description: 'Time after which another process takes over a batch whose process has died.',
  }),
  BATCH_SWEEP_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description:
      'Seconds between two sweeps, which delete batches and stored scans at the end of their retention.',
  }),
  KEEP_SCANS: Type.Boolean({
    default: true,
    description:
      'Whether the pages of scans are stored for later scans of the project with max_age_seconds. If false, only pages of crawls are reused.',
  }),
  MAP_TIMEOUT_MS: Type.Integer({
    default: 20_000,
    minimum: 1000,
    maximum: 25_000,
    description: 'Time of POST /v1/map to read the documents of a site. Slower documents are left out.',
  }),
  ...retentionSettings,
  ...modelSettings,
  ...timeStampingSettings,
})
export type Settings = Static<typeof Settings>
