/** `POST /v1/scan` and `POST /v1/scan/bulk`: pages read while the client waits. */

import { type Static, Type } from 'typebox'
import { amountText, priceText } from '../prices.ts'
import { described, oneOf, orNull, Timestamp } from '../primitives.ts'
import { BackendName } from '../rpc/backends.ts'
import { Selector } from '../rpc/content.ts'
import { ChunkRequest } from './chunks.ts'
import { CloudTry } from './cloud/page.ts'
import { AiBotPolicies, contentParts } from './content.ts'
import { ClientSchema, ofPrompt } from './extraction.ts'
import { warnings } from './lists.ts'
import { contentHash, contentType, PageMetadata } from './pages.ts'

const ofUrl = {
  description: 'A public URL; http:// or https://.',
  examples: ['https://example.com/'],
}
const Url = Type.String({ minLength: 1, maxLength: 8192, ...ofUrl })
/** Any text: an invalid URL is a failed item and does not reject the request. */
export const UrlItem = Type.String(ofUrl)
export const userAgent = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 512,
    description: 'User-Agent of the request. Default: that of a browser.',
  }),
)
export const maxAge = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 365 * 86_400,
    description:
      'Use the newest page that a crawl or a scan of the project has stored if it is younger than this number of seconds. A page of a scan was requested by the same user_agent and cloud_mode.',
  }),
)
export const metadataOnly = Type.Boolean({ default: false, description: 'Leave out markdown and article.' })

const selected = [Type.String({ minLength: 1, maxLength: 500 }), Selector] as const

export const ScanRequest = Type.Object(
  {
    url: Url,
    user_agent: userAgent,
    max_age_seconds: maxAge,
    cloud_mode: Type.Optional(
      oneOf(['none', 'auto', 'unblocker', 'browser'], {
        description:
          'Means beyond plain HTTP: auto uses the unblocker after a challenge, a failure, 403 or 406, and a browser if only scripts make the page, unblocker uses it from the start, browser uses only a browser. Default: the setting of the project, or none.',
      }),
    ),
    metadata_only: metadataOnly,
    only_main_content: Type.Boolean({
      default: false,
      description: 'Markdown without navigation, site header, footer and the like.',
    }),
    include_links: Type.Boolean({ default: false, description: 'Add the links of the page as `anchors`.' }),
    include_article: Type.Boolean({ default: false, description: 'Add the main text as `article_text`.' }),
    chunks: Type.Optional(ChunkRequest),
    screenshot_inline: Type.Boolean({
      default: false,
      description: `Add a screenshot of the page, of at most its first 20,000 pixels in height, as \`screenshot\`. ${priceText('scan_screenshot')} Stored pages are not used.`,
    }),
    extract: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        properties: {
          schema: Type.Union([...selected, ClientSchema], {
            description:
              'A JSON Schema for `extraction`. A CSS selector here extracts a value named `schema`, as under any other name.',
          }),
          prompt: Type.Union([Type.String({ minLength: 1, maxLength: 4_000 }), Selector], {
            description: `Beside a schema: ${ofPrompt} \`model\` requests it without a prompt: \`default\`, or its name. Without a schema it is a CSS selector, as under any other name.`,
          }),
        },
        patternProperties: { '^(?!(?:schema|prompt)$)[A-Za-z0-9_.-]{1,64}$': Type.Union([...selected]) },
        maxProperties: 50,
        description:
          'Values to extract, by name: a CSS selector, or {selector, attr, all}. They are returned as `extracted`. With `{schema: …}`, a JSON Schema, they are returned as `extraction`.',
        examples: [{ title: 'h1', prices: { selector: '.price', all: true } }],
      }),
    ),
  },
  { $id: 'ScanRequest' },
)
export type ScanRequest = Static<typeof ScanRequest>

const ofEveryScan = {
  url: Type.String({ description: 'The requested URL.' }),
  final_url: Type.String({ description: 'URL of the page, after all redirects.' }),
  status: Type.Integer({ description: 'HTTP status of the target.' }),
  bytes: Type.Integer({ description: 'Length of the decoded body, in bytes.' }),
  fetched_at: described(Timestamp, 'Time of the response.'),
  content_hash: contentHash,
  content_type: contentType,
  cached: Type.Boolean({ description: 'Whether the page was stored by an earlier crawl or scan.' }),
  blocked: Type.Boolean({
    description: `Whether the site returned a challenge instead of the page, which costs ${amountText('scan', 'blocked')}.`,
  }),
  metadata: PageMetadata,
  signals: contentParts.signals,
  ai_bot_policy: orNull(AiBotPolicies),
  llms_txt: orNull(
    Type.String({
      description:
        'The llms.txt of the site, up to 256 KiB (of a stored page 64 KiB); null: it has none, or it could not be read.',
    }),
  ),
}

export const Scan = Type.Object(
  {
    ...ofEveryScan,
    markdown: Type.Optional(contentParts.markdown),
    article_text: Type.Optional(contentParts.article_text),
    article_html: Type.Optional(contentParts.article_html),
    chunks: Type.Optional(contentParts.chunks),
    anchors: Type.Optional(contentParts.anchors),
    extracted: Type.Optional(contentParts.extracted),
    extraction: Type.Optional(contentParts.extraction),
    screenshot: Type.Optional(Type.String({ description: 'PNG, base64-encoded.' })),
    screenshot_error: Type.Optional(
      Type.String({
        description: `Reason why the requested screenshot is missing. It costs ${amountText('scan_screenshot', 'failed')} then.`,
      }),
    ),
    backend: Type.Optional(
      described(
        BackendName,
        `The backend that fetched the page, if more than plain HTTP was allowed. Every backend except http costs ${amountText('scan_cloud')} more.`,
      ),
    ),
    tried: Type.Optional(Type.Array(CloudTry, { description: 'Every backend that was tried, in order.' })),
    cost_usd: Type.Optional(
      Type.Number({
        description: 'Cost of the backends in US dollars, beside pages and cloud pages.',
      }),
    ),
    warnings,
  },
  { $id: 'Scan' },
)
export type Scan = Static<typeof Scan>

export const DeleteScansQuery = Type.Object({ url: Url })

export const DeletedScans = Type.Object(
  {
    deleted: Type.Integer({
      minimum: 0,
      description:
        'Number of deleted pages: one for each combination of user_agent and cloud_mode that the URL was scanned with; 0: none was stored.',
    }),
    warnings,
  },
  { $id: 'DeletedScans' },
)

const maxUrls = 100

/** @param concurrency the default and the maximum of the installation */
export const bulkScanRequestOf = ({ usual, max }: { usual: number; max: number }) =>
  Type.Object(
    {
      urls: Type.Array(UrlItem, {
        minItems: 1,
        maxItems: maxUrls,
        description: `Up to ${maxUrls} URLs. Each has its own result, even an invalid URL.`,
      }),
      concurrency: Type.Integer({
        default: usual,
        description: `Concurrent requests, from 1 to ${max}. Other values are set to the nearest bound. At most four to one host.`,
      }),
      metadata_only: metadataOnly,
      max_age_seconds: maxAge,
      user_agent: userAgent,
    },
    { $id: 'BulkScanRequest' },
  )
export type BulkScanRequest = Static<ReturnType<typeof bulkScanRequestOf>>

const BulkResult = Type.Object(
  {
    ...ofEveryScan,
    markdown: Type.Optional(contentParts.markdown),
    article: Type.Optional(contentParts.article_text),
    article_html: Type.Optional(contentParts.article_html),
    llms_full_txt: orNull(
      Type.String({
        description: 'The llms-full.txt of the site; null: it has none, or it could not be read.',
      }),
    ),
    warnings,
  },
  { $id: 'BulkResult', description: 'The page.' },
)
export type BulkResult = Static<typeof BulkResult>

const sentUrl = Type.String({ description: 'The URL as sent, cut to 8,192 characters.' })

export const BulkItem = Type.Union([
  Type.Object({
    url: sentUrl,
    ok: Type.Literal(true, { description: 'The page was read.' }),
    result: BulkResult,
  }),
  Type.Object({
    url: sentUrl,
    ok: Type.Literal(false, { description: 'The page was not read.' }),
    error: Type.String({ description: 'The error in one sentence.' }),
    reason: Type.String({ description: 'The error as a stable code.' }),
  }),
])
export type BulkItem = Static<typeof BulkItem>

export const BulkScan = Type.Object(
  {
    items: Type.Array(BulkItem, { description: 'One per URL, in the order of the request.' }),
    warnings,
  },
  { $id: 'BulkScan' },
)
