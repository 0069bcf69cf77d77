/** The link graph of a run, its orphans, and the difference to another run (specification, Crawls). */
import { type Static, Type } from 'typebox'
import { Id, mustBe, orNull, said, Timestamp } from '../primitives.ts'
import { nextOffset, warnings, windowOf } from './lists.ts'

export const LinkEdge = Type.Object(
  {
    from_page_id: said(Id, 'The page on which the link stands.'),
    to_url: Type.String({ description: 'Where it leads, in normal form.' }),
    anchor: Type.String({ description: 'Its text; empty where it has none.' }),
    rel: orNull(Type.String({ description: 'Its rel attribute as it stands there; null without one.' })),
    nofollow: Type.Boolean({ description: 'Whether rel says nofollow.' }),
  },
  { $id: 'LinkEdge' },
)
export type LinkEdge = Static<typeof LinkEdge>

export const LinkList = Type.Object(
  {
    items: Type.Array(LinkEdge, { description: 'By the id of the page, in the order of the page.' }),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'LinkList' },
)
export type LinkList = Static<typeof LinkList>

export const LinkListQuery = Type.Object({
  ...windowOf(100_000),
  from_page_id: Type.Optional(
    Type.With(Id, { description: 'Only links that stand on this page.', examples: [51] }),
  ),
  to_url: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: 'Only links to this address, however it is spelled.',
      examples: ['https://example.com/pricing'],
    }),
  ),
})
export type LinkListQuery = Static<typeof LinkListQuery>

export const OrphanList = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        id: said(Id, 'The page.'),
        url: Type.String({ description: 'Where it was found.' }),
        status: Type.Integer({ description: "The target's own HTTP status." }),
        fetched_at: said(Timestamp, 'When it was fetched.'),
      }),
      { description: 'By id.' },
    ),
    warnings,
  },
  { $id: 'OrphanList' },
)
export type OrphanList = Static<typeof OrphanList>

export const DiffParams = Type.Object({
  old_id: Type.Integer({ description: 'The older crawl.', examples: [41] }),
  new_id: Type.Integer({ description: 'The newer crawl.', examples: [42] }),
})
export type DiffParams = Static<typeof DiffParams>

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
      ...mustBe(`a comma list of ${diffFields.join(', ')}`),
      description: `What of each changed page is compared too, as a comma list: ${diffFields.join(', ')}.`,
      examples: ['title,canonical'],
    }),
  ),
})
export type DiffQuery = Static<typeof DiffQuery>

const OnePage = Type.Object(
  {
    url: Type.String({ description: 'Where the page was found.' }),
    hash: Type.String({
      description: 'Its content_hash, or its raw_hash where the installation compares those.',
    }),
  },
  { $id: 'HashedPage' },
)

const why =
  'A reason to fail such as timeout, dns or connect; blocked, empty or http_503 for what was no page; robots, robots_unreachable, excluded, not_included, trap, redirect_out_of_scope; max_pages, depth, quota, time_limit, cancelled, run_failed, frontier_full; pending while the crawl goes on; sitemap where one could not be read; unknown where a page that linked to it could not be read.'

const LeftPage = Type.Object(
  {
    url: Type.String({ description: 'Where the page was found.' }),
    cause: Type.String({ description: why }),
  },
  { $id: 'UncomparedPage' },
)

const Value = orNull(Type.Union([Type.String(), Type.Number(), Type.Array(Type.String())]))

export const RunDiff = Type.Object(
  {
    old_run_id: said(Id, 'The older crawl.'),
    new_run_id: said(Id, 'The newer crawl.'),
    summary: Type.Object(
      {
        added: Type.Integer({ description: 'Pages that only the newer crawl has.' }),
        removed: Type.Integer({
          description: 'Pages that only the older crawl has, and that are gone from the site.',
        }),
        changed: Type.Integer({ description: 'Pages of both whose content_hash differs.' }),
        unchanged: Type.Integer({ description: 'Pages of both whose content_hash is the same.' }),
        not_revisited: Type.Integer({
          description: 'Pages of the older crawl that the newer one could not read. No difference.',
        }),
        not_compared: Type.Integer({
          description: 'Pages of the newer crawl that the older one could not read. No difference.',
        }),
      },
      { description: 'How many pages of each kind.' },
    ),
    added: Type.Array(OnePage, { description: 'Pages that only the newer crawl has.' }),
    removed: Type.Array(OnePage, {
      description:
        'Pages that only the older crawl has: the newer one was answered 404 or 410, was sent to another of its pages, or could have reached them and found no link.',
    }),
    changed: Type.Array(
      Type.Object({
        url: Type.String({ description: 'Where the page was found, both times.' }),
        old_hash: Type.String({ description: 'content_hash in the older crawl.' }),
        new_hash: Type.String({ description: 'content_hash in the newer crawl.' }),
        fields: Type.Optional(
          Type.Record(
            Type.String(),
            Type.Object({
              old: said(Value, 'In the older crawl.'),
              new: said(Value, 'In the newer crawl.'),
            }),
            { description: 'Of the fields that were asked for, those that differ.' },
          ),
        ),
      }),
      { description: 'Pages of both whose content_hash differs.' },
    ),
    not_revisited: Type.Array(LeftPage, {
      description: 'Pages of the older crawl that the newer one could not read, each with the cause.',
    }),
    not_compared: Type.Array(LeftPage, {
      description:
        'Pages of the newer crawl with nothing to be compared with: the older one could not read them, or they are an error themselves.',
    }),
    warnings,
  },
  { $id: 'RunDiff' },
)
export type RunDiff = Static<typeof RunDiff>
