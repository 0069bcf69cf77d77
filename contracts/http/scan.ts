/** `POST /v1/scan` and `POST /v1/scan/bulk`: pages read while the client waits. */
import { type Static, Type } from 'typebox'
import { Selector } from '../ask/content.ts'
import { BackendName } from '../ask/means.ts'
import { orNull, said, Timestamp } from '../primitives.ts'
import { CloudTry } from './cloud-page.ts'
import { AiBotPolicies, contentParts } from './content.ts'
import { warnings } from './lists.ts'
import { contentHash, contentType, PageMetadata } from './pages.ts'

const ofUrl = {
  description: 'http:// or https://, and a public address.',
  examples: ['https://example.com/'],
}
const Url = Type.String({ minLength: 1, maxLength: 8192, ...ofUrl })
/** Any text: one that is no address is an item that fails, and no refusal of the others. */
const UrlItem = Type.String(ofUrl)
const userAgent = Type.Optional(
  Type.String({ minLength: 1, maxLength: 512, description: 'Sent in place of a browser of ours.' }),
)
const maxAge = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 365 * 86_400,
    description: 'A page that a crawl of the project has stored is taken when it is younger than this.',
  }),
)
const metadataOnly = Type.Boolean({ default: false, description: 'No markdown, and no article.' })

export const ScanRequest = Type.Object(
  {
    url: Url,
    user_agent: userAgent,
    max_age_seconds: maxAge,
    cloud_mode: Type.Optional(
      Type.Union(
        [Type.Literal('none'), Type.Literal('auto'), Type.Literal('unblocker'), Type.Literal('browser')],
        {
          description:
            "What may be used beyond plain HTTP: auto where that is shown a challenge, unblocker in its place, browser a browser alone. Left out: the project's own, or none.",
        },
      ),
    ),
    metadata_only: metadataOnly,
    only_main_content: Type.Boolean({
      default: false,
      description: 'Markdown without navigation, site header, footer and the like.',
    }),
    include_links: Type.Boolean({ default: false, description: 'The links of the page as `anchors`.' }),
    include_article: Type.Boolean({ default: false, description: 'The main text as `article_text` too.' }),
    screenshot_inline: Type.Boolean({
      default: false,
      description:
        'A picture of the whole page as `screenshot`. One cloud page. No stored page is taken then.',
    }),
    extract: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }),
        Type.Union([Type.String({ minLength: 1, maxLength: 500 }), Selector]),
        {
          maxProperties: 50,
          description: 'Values by name: a CSS selector, or {selector, attr, all}.',
          examples: [{ title: 'h1', prices: { selector: '.price', all: true } }],
        },
      ),
    ),
  },
  { $id: 'ScanRequest' },
)
export type ScanRequest = Static<typeof ScanRequest>

const ofEveryScan = {
  url: Type.String({ description: 'As it was asked for.' }),
  final_url: Type.String({ description: 'Where the page was found, behind all redirects.' }),
  status: Type.Integer({ description: 'HTTP status of the target.' }),
  bytes: Type.Integer({ description: 'Length of the decoded body, in bytes.' }),
  fetched_at: said(Timestamp, 'When the site answered.'),
  content_hash: contentHash,
  content_type: contentType,
  cached: Type.Boolean({ description: 'Whether it is a stored page.' }),
  blocked: Type.Boolean({
    description: 'Whether the site showed a challenge instead; then it costs nothing.',
  }),
  metadata: PageMetadata,
  signals: contentParts.signals,
  ai_bot_policy: orNull(AiBotPolicies),
  llms_txt: orNull(Type.String({ description: 'Of its site; null where that has none.' })),
}

export const Scan = Type.Object(
  {
    ...ofEveryScan,
    markdown: Type.Optional(contentParts.markdown),
    article_text: Type.Optional(contentParts.article_text),
    article_html: Type.Optional(contentParts.article_html),
    anchors: Type.Optional(contentParts.anchors),
    extracted: Type.Optional(contentParts.extracted),
    screenshot: Type.Optional(Type.String({ description: 'PNG in base64.' })),
    screenshot_error: Type.Optional(
      Type.String({ description: 'Why there is no picture that was asked for; it costs nothing then.' }),
    ),
    backend: Type.Optional(
      said(
        BackendName,
        'Who had the page, where more than plain HTTP might be used; but http it is one cloud page.',
      ),
    ),
    tried: Type.Optional(Type.Array(CloudTry, { description: 'Every backend that was asked, in order.' })),
    cost_usd: Type.Optional(
      Type.Number({
        description: 'What backends were billed at in US dollars, beside pages and cloud pages.',
      }),
    ),
    warnings,
  },
  { $id: 'Scan' },
)
export type Scan = Static<typeof Scan>

const mostUrls = 100

/** @param concurrency where nothing is said, and at most: an installation's own */
export const bulkScanRequestOf = ({ usual, most }: { usual: number; most: number }) =>
  Type.Object(
    {
      urls: Type.Array(UrlItem, {
        minItems: 1,
        maxItems: mostUrls,
        description: `The pages, up to ${mostUrls}; each is answered in its own place, also what is no address.`,
      }),
      concurrency: Type.Integer({
        default: usual,
        description: `Pages under way at once, from 1 to ${most}; what is outside is the nearest of these. At one host at most four.`,
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
    llms_full_txt: orNull(Type.String({ description: 'Of its site; null where that has none.' })),
    warnings,
  },
  { $id: 'BulkResult', description: 'The page.' },
)
export type BulkResult = Static<typeof BulkResult>

const asked = Type.String({ description: 'As it was sent, up to 8,192 characters of it.' })

export const BulkItem = Type.Union([
  Type.Object({
    url: asked,
    ok: Type.Literal(true, { description: 'The page was read.' }),
    result: BulkResult,
  }),
  Type.Object({
    url: asked,
    ok: Type.Literal(false, { description: 'The page was not read.' }),
    error: Type.String({ description: 'What went wrong, in a sentence without addresses of ours.' }),
    reason: Type.String({ description: 'The same as a stable code.' }),
  }),
])
export type BulkItem = Static<typeof BulkItem>

export const BulkScan = Type.Object(
  {
    items: Type.Array(BulkItem, { description: 'One a URL, in the order in which they were sent.' }),
    warnings,
  },
  { $id: 'BulkScan' },
)
export type BulkScan = Static<typeof BulkScan>
