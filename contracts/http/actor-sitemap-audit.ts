/** `POST /v1/actors/sitemap-audit`: what a site's sitemaps list, and what becomes of each page that they do. */
import { type Static, Type } from 'typebox'
import { orNull } from '../primitives.ts'
import { actorAnswer } from './actor.ts'
import { Url } from './cloud-page.ts'

export const SitemapAuditRequest = Type.Object(
  {
    url: Url,
    max_urls: Type.Integer({
      minimum: 1,
      maximum: 50_000,
      default: 100,
      description: 'At most so many pages are probed, in the order in which the sitemaps list them.',
    }),
    dry_run: Type.Boolean({
      default: false,
      description: 'Read the sitemaps and count their pages, and probe none. Nothing is billed.',
    }),
  },
  { $id: 'SitemapAuditRequest' },
)
export type SitemapAuditRequest = Static<typeof SitemapAuditRequest>

/** The gravest first: of what holds of a page, the first of these is its bucket. */
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
    { description: 'What the page is, as its gravest fault has it; `ok` is without fault.' },
  ),
)
export type Bucket = Static<typeof Bucket>

const count = (description: string) => Type.Integer({ minimum: 0, description })
const text = (description: string) => orNull(Type.String({ description }))

const SitemapAuditSummary = Type.Object(
  {
    ok: count('Pages that answered with 2xx, may be indexed, and are their own canonical.'),
    redirect: count('Pages that answered with 3xx.'),
    client_error: count('Pages that answered with 4xx, or with a status that HTTP does not have.'),
    server_error: count('Pages that answered with 5xx.'),
    noindex: count('Pages whose robots meta, or X-Robots-Tag, keeps them out of an index, or has by now.'),
    canonicalised_away: count('Pages whose canonical is another address.'),
    network_error: count('Pages that gave no answer that could be read, and those that must not be asked.'),
  },
  { description: 'Pages that were probed or refused, by bucket.' },
)

const SitemapAuditItem = Type.Object({
  url: Type.String({ description: 'As the sitemap lists it, absolute and without fragment.' }),
  status_code: orNull(
    Type.Integer({ description: 'HTTP status, no redirect followed; null without an answer.' }),
  ),
  bucket: Bucket,
  canonical: text(
    'Canonical in normal form, of the head or the Link header; null where none is stated, or none is heeded.',
  ),
  x_robots_tag: text('X-Robots-Tag as it came.'),
  meta_robots: text(
    'What robots metas say, in lower case, those for everybody first; then by name, as in `googlebot: noindex`.',
  ),
  lastmod: text('When the page was changed, as the sitemap has it.'),
  error: text(
    'Why it is a network_error: private_address, blocked_domain, bad_url, dns, connect, tls, timeout, protocol …',
  ),
  redirected_to: text('Where a redirect leads; null also where it leads nowhere.'),
  found_in: Type.String({ description: 'The first sitemap that lists it.' }),
  challenge: text('Whose challenge for bots was shown in its place.'),
})
export type SitemapAuditItem = Static<typeof SitemapAuditItem>

export const SitemapReport = Type.Object({
  url: Type.String({ description: 'As it was named.' }),
  final_url: Type.Optional(Type.String({ description: 'Where it was found, if that is elsewhere.' })),
  status: orNull(Type.Integer({ description: 'HTTP status; null where there was no answer.' })),
  urls: count('Pages that it lists, however often.'),
  repeated: count('Of these, those that it has listed before: they are probed once.'),
  images: count('Pictures that it lists beside its pages.'),
  videos: count('Videos that it lists beside its pages.'),
  alternates: count('Versions of its pages in other languages (hreflang).'),
  sitemaps: count('Further sitemaps that it names.'),
  unusable: count('Entries that are no address which could be fetched: they are not probed.'),
  error: text(
    'Why it, or a part of it, was not read: http_status, not_a_sitemap, broken_encoding, incomplete, index_in_index, other_site, too_many, dns, connect, timeout …',
  ),
  message: text('The same in words.'),
})
export type SitemapReport = Static<typeof SitemapReport>

export const SitemapAudited = Type.Object({
  sitemaps_found: Type.Array(Type.String(), {
    description: 'Addresses of the sitemaps that could be read, in the order of their discovery.',
  }),
  total_urls_in_sitemap: count('Pages that all sitemaps list, those that are listed twice twice.'),
  total_urls_probed: count('Pages that were asked for, each once.'),
  total_urls_refused: count(
    'Pages that must not be asked for (private_address, blocked_domain, bad_url): they are told, and cost nothing.',
  ),
  pages_billed: count('The same number: each page that was probed is billed.'),
  summary: SitemapAuditSummary,
  items: Type.Array(SitemapAuditItem, { description: 'Every page that was probed or refused.' }),
  sitemaps: Type.Array(SitemapReport, { description: 'Every sitemap that was named.' }),
  lastmod_problems: Type.Object(
    {
      future: count('Dates that lie ahead.'),
      unreadable: count('What is no date of the W3C profile of ISO 8601.'),
    },
    { description: 'Dates of change that say nothing, over all sitemaps.' },
  ),
})
export type SitemapAudited = Static<typeof SitemapAudited>

export const SitemapAuditAnswer = actorAnswer('sitemap-audit', SitemapAudited, 'SitemapAuditAnswer')
export type SitemapAuditAnswer = Static<typeof SitemapAuditAnswer>
