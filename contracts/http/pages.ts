/** Stored pages: the list of a run's, and one with its content (specification, Page). */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp } from '../primitives.ts'
import { contentParts } from './content.ts'

const ofEveryPage = {
  id: Id,
  url: Type.String(),
  status: Type.Integer({ description: "The target's own HTTP status." }),
  bytes: Type.Integer({ description: 'Length of the decoded body.' }),
  fetched_at: Timestamp,
}

/** What an item of the list has beside these where `fields` asks for it. */
const ofPagesAsked = {
  content_hash: Type.String(),
  raw_hash: Type.String(),
  title: orNull(Type.String()),
  depth: Type.Integer(),
  inlinks: orNull(
    Type.Integer({
      description: 'How many other pages of the crawl link here; null where it keeps no links.',
    }),
  ),
  requested_url: orNull(Type.String()),
  content_type: orNull(Type.String()),
  blocked: Type.Boolean({
    description: 'The origin showed a challenge instead of its page; nothing is billed.',
  }),
  trace_id: orNull(Type.String({ description: 'The trace in which it was fetched, where there is one.' })),
}
export type PageField = keyof typeof ofPagesAsked

/** The columns of every row and the names that `fields` knows, both in order. */
export const pageColumns = Object.keys(ofEveryPage) as (keyof typeof ofEveryPage)[]
export const pageFields = Object.keys(ofPagesAsked) as PageField[]

export const PageItem = Type.Object(
  { ...ofEveryPage, ...Type.Partial(Type.Object(ofPagesAsked)).properties },
  { $id: 'PageItem' },
)
export type PageItem = Static<typeof PageItem>

export const PageList = Type.Object(
  { items: Type.Array(PageItem), next_offset: orNull(Type.Integer()) },
  { $id: 'PageList' },
)
export type PageList = Static<typeof PageList>

/** What of its content a row of NDJSON has where `include` asks for it. */
export const pageParts = ['markdown', 'metadata', 'article', 'signals', 'html'] as const
export type PagePart = (typeof pageParts)[number]

const listOf = (names: readonly string[]) => `^(?:${names.join('|')})(?:,(?:${names.join('|')}))*$`

export const PageListQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100_000, default: 100 }),
  offset: Type.Integer({ minimum: 0, default: 0 }),
  status: Type.Optional(
    Type.Integer({ minimum: 100, maximum: 999, description: 'Only pages whose target answered so.' }),
  ),
  format: Type.Optional(
    Type.Union([Type.Literal('json'), Type.Literal('ndjson'), Type.Literal('csv')], {
      description: 'json unless the Accept header wants application/x-ndjson or text/csv.',
    }),
  ),
  fields: Type.Optional(
    Type.String({
      pattern: listOf(pageFields),
      description: `a comma list of ${pageFields.join(', ')}`,
    }),
  ),
  include: Type.Optional(
    Type.String({
      pattern: listOf(pageParts),
      description: `with ndjson, a comma list of ${pageParts.join(', ')}; null where a page has none`,
    }),
  ),
})
export type PageListQuery = Static<typeof PageListQuery>

export const PageMetadata = Type.Object(
  {
    title: orNull(Type.String()),
    description: orNull(Type.String()),
    canonical: orNull(Type.String()),
    lang: orNull(Type.String()),
    robots: Type.Array(Type.String()),
    og: Type.Record(Type.String(), Type.String()),
    twitter: Type.Record(Type.String(), Type.String()),
    json_ld: Type.Array(Type.Unknown()),
  },
  { $id: 'PageMetadata' },
)
export type PageMetadata = Static<typeof PageMetadata>

export const PageView = Type.Object(
  {
    ...ofEveryPage,
    content_hash: Type.String(),
    content_type: orNull(Type.String()),
    html: Type.Optional(contentParts.html),
    markdown: Type.Optional(contentParts.markdown),
    article_text: Type.Optional(contentParts.article_text),
    article_html: Type.Optional(contentParts.article_html),
    metadata: Type.Optional(PageMetadata),
    signals: Type.Optional(contentParts.signals),
  },
  { $id: 'Page' },
)
export type PageView = Static<typeof PageView>

export const PageFormat = Type.Union([
  Type.Literal('html'),
  Type.Literal('markdown'),
  Type.Literal('article'),
  Type.Literal('both'),
  Type.Literal('full'),
  Type.Literal('signals'),
])
export type PageFormat = Static<typeof PageFormat>

export const PageQuery = Type.Object({
  format: Type.Union(PageFormat.anyOf, {
    default: 'html',
    description:
      'html, markdown or article, each with metadata; both is all three; full is both with signals; signals are alone.',
  }),
})
export type PageQuery = Static<typeof PageQuery>

export const PageParams = Type.Object({
  id: Type.Integer({ description: 'The page, counted over all runs.' }),
})
export type PageParams = Static<typeof PageParams>
