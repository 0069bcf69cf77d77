/** `POST /v1/actors/sitemap-audit`: the pages in a site's sitemaps, and the result of probing each. */
import { type Static, Type } from 'typebox'
import { count, orNull } from '../../primitives.ts'
import { Url } from '../cloud/page.ts'
import { actorAnswer } from './actor.ts'

export const SitemapAuditRequest = Type.Object(
  {
    url: Url,
    max_urls: Type.Integer({
      minimum: 1,
      maximum: 50_000,
      default: 100,
      description: 'Maximum number of pages to probe, in the order of the sitemaps.',
    }),
    dry_run: Type.Boolean({
      default: false,
      description: 'Read the sitemaps and count their pages without probing any. Nothing is billed.',
    }),
  },
  { $id: 'SitemapAuditRequest' },
)
export type SitemapAuditRequest = Static<typeof SitemapAuditRequest>

/** Gravest first: `bucket` is the first matching condition. */
export const buckets = [
  'network_error',
  'server_error',
  'client_error',
  'redirect',
  'noindex',
  'canonicalised_away',
  'ok',
] as const

export const Bucket = Type.Unsafe<(typeof buckets)[number]>(
  Type.Union(
    buckets.map(bucket => Type.Literal(bucket)),
    { description: 'The gravest fault of the page; `ok`: no fault.' },
  ),
)
export type Bucket = Static<typeof Bucket>

const text = (description: string) => orNull(Type.String({ description }))

const SitemapAuditSummary = Type.Object(
  {
    ok: count('Pages with status 2xx that may be indexed and are their own canonical.'),
    redirect: count('Pages with status 3xx.'),
    client_error: count('Pages with status 4xx or with an undefined status.'),
    server_error: count('Pages with status 5xx.'),
    noindex: count(
      'Pages that robots meta or X-Robots-Tag excludes from an index, including by an unavailable_after that has passed.',
    ),
    canonicalised_away: count('Pages whose canonical is another URL.'),
    network_error: count('Pages without a readable response, and pages that must not be requested.'),
  },
  { description: 'Pages that were probed or rejected, by bucket.' },
)

const SitemapAuditItem = Type.Object({
  url: Type.String({ description: 'The URL in the sitemap, absolute and without its fragment.' }),
  status_code: orNull(
    Type.Integer({ description: 'HTTP status without following redirects; null: no response.' }),
  ),
  bucket: Bucket,
  canonical: text(
    'Canonical in normal form, from the head or the Link header; null: none is stated or valid.',
  ),
  x_robots_tag: text('The X-Robots-Tag header, unchanged.'),
  meta_robots: text(
    'Directives of the robots metas in lower case: general ones first, then by bot name, as in `googlebot: noindex`.',
  ),
  lastmod: text('Last modification of the page, as stated by the sitemap.'),
  error: text(
    'Reason of a network_error: private_address, blocked_domain, bad_url, dns, connect, tls, timeout, protocol …',
  ),
  redirected_to: text('Target of the redirect; null: no redirect, or no valid target.'),
  found_in: Type.String({ description: 'The first sitemap that lists it.' }),
  challenge: text('Vendor of the challenge that replaced the page.'),
})
export type SitemapAuditItem = Static<typeof SitemapAuditItem>

export const SitemapReport = Type.Object({
  url: Type.String({ description: 'The URL as listed.' }),
  final_url: Type.Optional(Type.String({ description: 'The URL after redirects, if it differs.' })),
  status: orNull(Type.Integer({ description: 'HTTP status; null: no response.' })),
  urls: count('Number of pages that it lists, duplicates included.'),
  repeated: count('Number of entries that repeat a page listed before. Each page is probed once.'),
  images: count('Number of images that it lists beside its pages.'),
  videos: count('Number of videos that it lists beside its pages.'),
  alternates: count('Number of versions of its pages in other languages (hreflang).'),
  sitemaps: count('Number of further sitemaps that it lists.'),
  unusable: count('Number of entries that are not a URL which can be fetched. They are not probed.'),
  error: text(
    'Reason why it was not read, or only in part: http_status, not_a_sitemap, broken_encoding, incomplete, index_in_index, other_site, too_many, dns, connect, timeout …',
  ),
  message: text('The reason in words.'),
})
export type SitemapReport = Static<typeof SitemapReport>

export const SitemapAudited = Type.Object({
  sitemaps_found: Type.Array(Type.String(), {
    description: 'URLs of the sitemaps that could be read, in the order of their discovery.',
  }),
  total_urls_in_sitemap: count('Number of pages in all sitemaps, duplicates included.'),
  total_urls_probed: count('Number of pages that were requested, each once.'),
  total_urls_refused: count(
    'Number of pages that were not requested: they must not be (private_address, blocked_domain, bad_url), or this service failed (internal). They are listed, and cost nothing.',
  ),
  pages_billed: count('Number of billed pages. It equals the number of probed pages.'),
  summary: SitemapAuditSummary,
  items: Type.Array(SitemapAuditItem, { description: 'Every page that was probed or rejected.' }),
  sitemaps: Type.Array(SitemapReport, { description: 'Every sitemap that is listed.' }),
  lastmod_problems: Type.Object(
    {
      future: count('Dates in the future.'),
      unreadable: count('Values that are not a date of the W3C profile of ISO 8601.'),
    },
    { description: 'Invalid modification dates, over all sitemaps.' },
  ),
})
export type SitemapAudited = Static<typeof SitemapAudited>

export const SitemapAuditAnswer = actorAnswer('sitemap-audit', SitemapAudited, 'SitemapAuditAnswer')
export type SitemapAuditAnswer = Static<typeof SitemapAuditAnswer>
