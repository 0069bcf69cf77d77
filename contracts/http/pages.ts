/** Stored pages: the list of a run's, and one with its content (specification, Page). */
import { type Static, Type } from 'typebox'
import { Id, mustBe, orNull, said, Timestamp } from '../primitives.ts'
import { contentParts } from './content.ts'
import { nextOffset, warnings, windowOf } from './lists.ts'

export const contentHash = Type.String({
  description:
    'SHA-256 in hex of what a reader would notice: equal while only markup, scripts and the like change.',
})
export const contentType = orNull(Type.String({ description: 'As the site sent it; null without one.' }))

const ofEveryPage = {
  id: said(Id, 'The page, counted over all crawls.'),
  url: Type.String({ description: 'Where it was found, behind all redirects.' }),
  status: Type.Integer({ description: "The target's own HTTP status." }),
  bytes: Type.Integer({ description: 'Length of the decoded body, in bytes.' }),
  fetched_at: said(Timestamp, 'When it was fetched.'),
}

/** What an item of the list has beside these where `fields` asks for it. */
const ofPagesAsked = {
  content_hash: contentHash,
  raw_hash: Type.String({ description: 'SHA-256 of the decoded body, in hex.' }),
  title: orNull(Type.String({ description: 'Its title; null without one.' })),
  depth: Type.Integer({ description: 'Clicks from the seed.' }),
  inlinks: orNull(
    Type.Integer({
      description: 'How many other pages of the crawl link here; null where it keeps no links.',
    }),
  ),
  requested_url: orNull(
    Type.String({ description: 'The address that redirected here; null where none did.' }),
  ),
  content_type: contentType,
  blocked: Type.Boolean({
    description: 'The origin showed a challenge instead of its page; nothing is billed.',
  }),
  rendered: Type.Boolean({
    description: 'It is what a browser made of it: billed as a cloud page in place of a page.',
  }),
  trace_id: orNull(Type.String({ description: 'The trace in which it was fetched, where there is one.' })),
}
export type PageField = keyof typeof ofPagesAsked

/** The columns of every row and the names that `fields` knows, both in order. */
export const pageColumns = Object.keys(ofEveryPage) as (keyof typeof ofEveryPage)[]
const pageFields = Object.keys(ofPagesAsked) as PageField[]

export const PageItem = Type.Object(
  { ...ofEveryPage, ...Type.Partial(Type.Object(ofPagesAsked)).properties },
  { $id: 'PageItem' },
)
export type PageItem = Static<typeof PageItem>

export const PageList = Type.Object(
  {
    items: Type.Array(PageItem, { description: 'By id, which is the order in which they were settled.' }),
    next_offset: nextOffset,
  },
  { $id: 'PageList' },
)
export type PageList = Static<typeof PageList>

/** What of its content a row of NDJSON has where `include` asks for it. */
const pageParts = ['markdown', 'metadata', 'article', 'signals', 'html'] as const
export type PagePart = (typeof pageParts)[number]

const listOf = (names: readonly string[]) => `^(?:${names.join('|')})(?:,(?:${names.join('|')}))*$`

export const PageListQuery = Type.Object({
  ...windowOf(100_000),
  status: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 999,
      description: 'Only pages whose target answered so.',
      examples: [404],
    }),
  ),
  format: Type.Optional(
    Type.Union([Type.Literal('json'), Type.Literal('ndjson'), Type.Literal('csv')], {
      description: 'json unless the Accept header wants application/x-ndjson or text/csv.',
      examples: ['ndjson'],
    }),
  ),
  fields: Type.Optional(
    Type.String({
      pattern: listOf(pageFields),
      ...mustBe(`a comma list of ${pageFields.join(', ')}`),
      description: `More of each page, as a comma list: ${pageFields.join(', ')}.`,
      examples: ['title,depth'],
    }),
  ),
  include: Type.Optional(
    Type.String({
      pattern: listOf(pageParts),
      ...mustBe(`a comma list of ${pageParts.join(', ')}`),
      description: `With ndjson, content of each page, as a comma list: ${pageParts.join(', ')}; null where a page has none.`,
      examples: ['markdown,metadata'],
    }),
  ),
})
export type PageListQuery = Static<typeof PageListQuery>

export const PageMetadata = Type.Object(
  {
    title: orNull(Type.String({ description: 'Of the title element.' })),
    description: orNull(Type.String({ description: 'Of the meta element.' })),
    canonical: orNull(Type.String({ description: 'The canonical link, absolute.' })),
    lang: orNull(Type.String({ description: 'Of the html element.' })),
    robots: Type.Array(Type.String(), { description: 'Directives of the robots meta elements.' }),
    og: Type.Record(Type.String(), Type.String(), { description: 'Open Graph, by names without `og:`.' }),
    twitter: Type.Record(Type.String(), Type.String(), {
      description: 'Twitter card, by names without `twitter:`.',
    }),
    json_ld: Type.Array(Type.Unknown(), { description: 'Each JSON-LD script that could be read.' }),
  },
  { $id: 'PageMetadata', description: 'What the head of the page says; null where it says nothing.' },
)
export type PageMetadata = Static<typeof PageMetadata>

export const PageView = Type.Object(
  {
    ...ofEveryPage,
    content_hash: contentHash,
    content_type: contentType,
    trace_id: Type.Optional(
      Type.String({ description: 'The trace in which it was fetched; absent where its crawl has none.' }),
    ),
    html: Type.Optional(
      orNull(said(contentParts.html, 'As it was served, decoded; null where it was not kept.')),
    ),
    markdown: Type.Optional(contentParts.markdown),
    article_text: Type.Optional(contentParts.article_text),
    article_html: Type.Optional(contentParts.article_html),
    metadata: Type.Optional(PageMetadata),
    signals: Type.Optional(orNull(contentParts.signals)),
    warnings,
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
  id: Type.Integer({ description: 'The page, counted over all runs.', examples: [51] }),
})
export type PageParams = Static<typeof PageParams>
