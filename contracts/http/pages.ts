/** Stored pages: the list of a run, and one page with its content (specification, Page). */

import { type Static, Type } from 'typebox'
import { amountText } from '../prices.ts'
import { described, Id, mustBe, oneOf, orNull, Timestamp } from '../primitives.ts'
import { as_of } from './as-of.ts'
import { chunkQuery } from './chunks.ts'
import { contentParts } from './content.ts'
import { formatField, nextOffset, warnings, windowOf } from './lists.ts'

export const contentHash = Type.String({
  description:
    'SHA-256 in hex of the content that readers see: changes of markup, scripts and the like do not affect it.',
})
export const contentType = orNull(Type.String({ description: 'As the site sent it; null: it sent none.' }))

const ofEveryPage = {
  id: described(Id, 'The id of the page, unique across all crawls.'),
  url: Type.String({ description: 'URL of the page, after all redirects.' }),
  status: Type.Integer({ description: 'HTTP status of the target.' }),
  bytes: Type.Integer({ description: 'Length of the decoded body, in bytes.' }),
  fetched_at: described(Timestamp, 'Time of the fetch.'),
}

/** Further fields of a list item, selected by `fields`. */
const optionalPageFields = {
  content_hash: contentHash,
  raw_hash: Type.String({ description: 'SHA-256 of the decoded body, in hex.' }),
  title: orNull(Type.String({ description: 'Title of the page; null: it has none.' })),
  depth: Type.Integer({ description: 'Number of links from the seed to the page.' }),
  inlinks: orNull(
    Type.Integer({
      description:
        'Number of other pages of the crawl that link to this page; null: the crawl stores no links.',
    }),
  ),
  requested_url: orNull(Type.String({ description: 'The URL that redirected here; null: no redirect.' })),
  content_type: contentType,
  blocked: Type.Boolean({
    description: `The origin returned a challenge instead of its page, which costs ${amountText('crawl', 'blocked')}.`,
  }),
  rendered: Type.Boolean({
    description: `The page was rendered by a browser, and costs ${amountText('crawl_rendered')} instead of ${amountText('crawl')}.`,
  }),
  trace_id: orNull(Type.String({ description: 'The trace of the fetch, if there is one.' })),
}
export type PageField = keyof typeof optionalPageFields

/** The columns of every row and the names that `fields` accepts, both in order. */
export const pageColumns = Object.keys(ofEveryPage) as (keyof typeof ofEveryPage)[]
const pageFields = Object.keys(optionalPageFields) as PageField[]

export const PageItem = Type.Object(
  { ...ofEveryPage, ...Type.Partial(Type.Object(optionalPageFields)).properties },
  { $id: 'PageItem' },
)
export type PageItem = Static<typeof PageItem>

export const PageList = Type.Object(
  {
    items: Type.Array(PageItem, {
      description: 'Ordered by id, which is the order in which pages were stored.',
    }),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'PageList' },
)
export type PageList = Static<typeof PageList>

const only_main_content = oneOf(['true', 'false'], {
  default: 'false',
  description:
    'With `true`, Markdown of the main content only: without menus, headers, footers, lists of contents and banners. An article never has them.',
  examples: ['true'],
})

const article_format = oneOf(['html', 'markdown'], {
  default: 'html',
  description:
    'The form of an article beside its text: `article_html`, or with `markdown` `article_markdown`.',
  examples: ['markdown'],
})

/** Parts of the content in a row of NDJSON, selected by `include`. */
const pageParts = ['markdown', 'metadata', 'article', 'signals', 'html'] as const
export type PagePart = (typeof pageParts)[number]

const listOf = (names: readonly string[]) => `^(?:${names.join('|')})(?:,(?:${names.join('|')}))*$`

export const PageListQuery = Type.Object({
  ...windowOf(100_000),
  status: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 999,
      description: 'Only pages with this HTTP status.',
      examples: [404],
    }),
  ),
  format: formatField,
  as_of,
  fields: Type.Optional(
    Type.String({
      pattern: listOf(pageFields),
      ...mustBe(`a comma-separated list of ${pageFields.join(', ')}`),
      description: `Further fields of each page, as a comma-separated list: ${pageFields.join(', ')}.`,
      examples: ['title,depth'],
    }),
  ),
  include: Type.Optional(
    Type.String({
      pattern: listOf(pageParts),
      ...mustBe(`a comma-separated list of ${pageParts.join(', ')}`),
      description: `With ndjson, content of each page, as a comma-separated list: ${pageParts.join(', ')}; null: the page has none.`,
      examples: ['markdown,metadata'],
    }),
  ),
  only_main_content,
  article_format,
  ...chunkQuery,
})
export type PageListQuery = Static<typeof PageListQuery>

export const PageMetadata = Type.Object(
  {
    title: orNull(Type.String({ description: 'Content of the title element; of a PDF: its title.' })),
    description: orNull(Type.String({ description: 'Content of the description meta element.' })),
    canonical: orNull(Type.String({ description: 'The canonical link, absolute.' })),
    lang: orNull(Type.String({ description: 'The lang attribute of the html element.' })),
    robots: Type.Array(Type.String(), { description: 'Directives of the robots meta elements.' }),
    og: Type.Record(Type.String(), Type.String(), {
      description: 'Open Graph properties, without the prefix `og:`.',
    }),
    twitter: Type.Record(Type.String(), Type.String(), {
      description: 'Twitter card properties, without the prefix `twitter:`.',
    }),
    json_ld: Type.Array(Type.Unknown(), { description: 'Each JSON-LD script that could be parsed.' }),
  },
  { $id: 'PageMetadata', description: 'Metadata in the head of the page; null: none.' },
)
export type PageMetadata = Static<typeof PageMetadata>

export const PageView = Type.Object(
  {
    ...ofEveryPage,
    content_hash: contentHash,
    content_type: contentType,
    trace_id: Type.Optional(
      Type.String({ description: 'The trace of the fetch; absent: the crawl has none.' }),
    ),
    html: Type.Optional(
      orNull(
        described(
          contentParts.html,
          'The decoded body as served; empty: it is neither HTML nor text, such as a PDF; null: it is not stored.',
        ),
      ),
    ),
    markdown: Type.Optional(contentParts.markdown),
    chunks: Type.Optional(contentParts.chunks),
    article_text: Type.Optional(contentParts.article_text),
    article_html: Type.Optional(contentParts.article_html),
    article_markdown: Type.Optional(contentParts.article_markdown),
    metadata: Type.Optional(PageMetadata),
    signals: Type.Optional(orNull(contentParts.signals)),
    warnings,
  },
  { $id: 'Page' },
)
export type PageView = Static<typeof PageView>

export const PageFormat = oneOf(['html', 'markdown', 'article', 'both', 'full', 'signals'])
export type PageFormat = Static<typeof PageFormat>

export const PageQuery = Type.Object({
  format: Type.Union(PageFormat.anyOf, {
    default: 'html',
    description:
      'html, markdown or article, each with metadata; both: all three; full: all three with signals; signals: signals alone.',
  }),
  only_main_content,
  article_format,
  ...chunkQuery,
})
export type PageQuery = Static<typeof PageQuery>

export const PageParams = Type.Object({
  id: Type.Integer({ description: 'The id of the page, unique across all crawls.', examples: [51] }),
})
