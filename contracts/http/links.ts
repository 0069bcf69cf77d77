/** The link graph of a run, its orphans, and the difference to another run (specification, Crawls). */
import { type Static, Type } from 'typebox'
import { described, Id, mustBe, orNull, Timestamp } from '../primitives.ts'
import { as_of } from './as-of.ts'
import { formatField, nextOffset, warnings, windowOf } from './lists.ts'

export const LinkEdge = Type.Object(
  {
    from_page_id: described(Id, 'The page that contains the link.'),
    to_url: Type.String({ description: 'Target of the link, in normal form.' }),
    anchor: Type.String({ description: 'Text of the link; empty: it has none.' }),
    rel: orNull(Type.String({ description: 'The rel attribute as written; null: absent.' })),
    nofollow: Type.Boolean({ description: 'Whether rel says nofollow.' }),
  },
  { $id: 'LinkEdge' },
)
export type LinkEdge = Static<typeof LinkEdge>

/** The CSV columns, in order. */
export const linkColumns = Object.keys(LinkEdge.properties)

export const LinkList = Type.Object(
  {
    items: Type.Array(LinkEdge, { description: 'Ordered by the id of the page, then in document order.' }),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'LinkList' },
)

export const LinkListQuery = Type.Object({
  ...windowOf(100_000),
  from_page_id: Type.Optional(Type.With(Id, { description: 'Only links on this page.', examples: [51] })),
  to_url: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: 'Only links to this URL, in any spelling.',
      examples: ['https://example.com/pricing'],
    }),
  ),
  format: formatField,
  as_of,
})

const Orphan = Type.Object({
  id: described(Id, 'The page.'),
  url: Type.String({ description: 'The URL of the page, after redirects.' }),
  status: Type.Integer({ description: 'HTTP status of the target.' }),
  fetched_at: described(Timestamp, 'Time of the fetch.'),
})

/** The CSV columns, in order. */
export const orphanColumns = Object.keys(Orphan.properties)

export const OrphanList = Type.Object(
  { items: Type.Array(Orphan, { description: 'Ordered by id.' }), warnings },
  { $id: 'OrphanList' },
)

export const OrphanListQuery = Type.Object({ format: formatField, as_of })

export const DiffParams = Type.Object({
  old_id: Type.Integer({ description: 'The older crawl.', examples: [41] }),
  new_id: Type.Integer({ description: 'The newer crawl.', examples: [42] }),
})

export const diffFields = [
  'title',
  'description',
  'h1',
  'canonical',
  'robots',
  'word_count',
  'status',
  'depth',
  'inlinks',
] as const
export type DiffField = (typeof diffFields)[number]

export const DiffQuery = Type.Object({
  fields: Type.Optional(
    Type.String({
      pattern: `^(${diffFields.join('|')})(,(${diffFields.join('|')}))*$`,
      ...mustBe(`a comma-separated list of ${diffFields.join(', ')}`),
      description: `Further fields of changed pages to compare, as a comma-separated list: ${diffFields.join(', ')}.`,
      examples: ['title,canonical'],
    }),
  ),
  format: formatField,
})

const OnePage = Type.Object(
  {
    url: Type.String({ description: 'URL of the page, after redirects.' }),
    hash: Type.String({
      description: 'Its content_hash, or its raw_hash if the installation compares raw hashes.',
    }),
    status: Type.Integer({ description: 'HTTP status of the page in the crawl that has it.' }),
  },
  { $id: 'HashedPage' },
)

const why =
  'A failure reason such as timeout, dns or connect; blocked: a challenge; robots, robots_unreachable, excluded, not_included, trap, redirect_out_of_scope; max_pages, depth, max_cost_usd, max_bytes, quota, time_limit, pattern_time, cancelled, run_failed, frontier_full; pending: the crawl has not ended; sitemap: a sitemap could not be read; unknown: a page with a link to it could not be read, or returned an error.'

const LeftPage = Type.Object(
  {
    url: Type.String({ description: 'URL of the page, after redirects.' }),
    cause: Type.String({ description: why }),
  },
  { $id: 'UncomparedPage' },
)

const Value = orNull(Type.Union([Type.String(), Type.Number(), Type.Array(Type.String())]))

export const RunDiff = Type.Object(
  {
    old_run_id: described(Id, 'The older crawl.'),
    new_run_id: described(Id, 'The newer crawl.'),
    summary: Type.Object(
      {
        added: Type.Integer({
          description:
            'Pages of the newer crawl for which the older one got a 404 or 410, or could have found a page and did not.',
        }),
        removed: Type.Integer({
          description:
            'Pages of the older crawl for which the newer one got a 404 or 410, or could have found a page and did not.',
        }),
        changed: Type.Integer({ description: 'Pages of both crawls whose content_hash or status differs.' }),
        unchanged: Type.Integer({
          description:
            'Pages of both crawls with equal content_hash and status, and URLs with a 404 or 410 that are not a page of the other crawl either.',
        }),
        not_revisited: Type.Integer({
          description:
            'Pages that the older crawl could read and the newer one could not. They do not count as differences.',
        }),
        not_compared: Type.Integer({
          description:
            'Pages that the older crawl could not read, or that only the newer one has and with a challenge. They do not count as differences.',
        }),
        pages: Type.Integer({
          description: 'Pages of either crawl, each URL once: the sum of the six counts above.',
        }),
      },
      { description: 'Number of pages in each class. Every page of either crawl is in exactly one class.' },
    ),
    added: Type.Array(OnePage, {
      description:
        'Pages of the newer crawl for which the older one got a 404 or 410, or could have found a page and did not.',
    }),
    removed: Type.Array(OnePage, {
      description:
        'Pages of the older crawl for which the newer one got a 404 or 410, was redirected to another of its pages, or could have reached them and found no link.',
    }),
    changed: Type.Array(
      Type.Object({
        url: Type.String({ description: 'URL of the page in both crawls, after redirects.' }),
        old_hash: Type.String({ description: 'content_hash in the older crawl.' }),
        new_hash: Type.String({ description: 'content_hash in the newer crawl.' }),
        old_status: Type.Integer({ description: 'HTTP status in the older crawl.' }),
        new_status: Type.Integer({ description: 'HTTP status in the newer crawl.' }),
        fields: Type.Optional(
          Type.Record(
            Type.String(),
            Type.Object({
              old: described(Value, 'In the older crawl.'),
              new: described(Value, 'In the newer crawl.'),
            }),
            { description: 'The requested fields that differ.' },
          ),
        ),
      }),
      {
        description:
          'Pages of both crawls whose content_hash or status differs. A 4xx or 5xx is a response like any other.',
      },
    ),
    not_revisited: Type.Array(LeftPage, {
      description: 'Pages that the older crawl could read and the newer one could not, each with its cause.',
    }),
    not_compared: Type.Array(LeftPage, {
      description:
        'Pages that the older crawl could not read, or that only the newer one has and with a challenge, each with its cause.',
    }),
    warnings,
  },
  { $id: 'RunDiff' },
)
export type RunDiff = Static<typeof RunDiff>
