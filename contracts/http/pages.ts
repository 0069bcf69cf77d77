/** Stored pages: the list of a run's, and one with its content (specification, Page). */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp } from '../primitives.ts'

export const PageItem = Type.Object(
  {
    id: Id,
    url: Type.String(),
    status: Type.Integer({ description: "The target's own HTTP status." }),
    bytes: Type.Integer({ description: 'Length of the decoded body.' }),
    fetched_at: Timestamp,
  },
  { $id: 'PageItem' },
)
export type PageItem = Static<typeof PageItem>

export const PageList = Type.Object(
  { items: Type.Array(PageItem), next_offset: orNull(Type.Integer()) },
  { $id: 'PageList' },
)
export type PageList = Static<typeof PageList>

export const PageListQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100_000, default: 100 }),
  offset: Type.Integer({ minimum: 0, default: 0 }),
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
    ...PageItem.properties,
    content_hash: Type.String(),
    content_type: orNull(Type.String()),
    html: Type.String(),
    metadata: PageMetadata,
  },
  { $id: 'Page' },
)
export type PageView = Static<typeof PageView>

export const PageQuery = Type.Object({
  format: Type.Union([Type.Literal('html')], { default: 'html' }),
})
export type PageQuery = Static<typeof PageQuery>

export const PageParams = Type.Object({
  id: Type.Integer({ description: 'The page, counted over all runs.' }),
})
export type PageParams = Static<typeof PageParams>
