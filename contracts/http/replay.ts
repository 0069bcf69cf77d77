/** A stored crawl that today's extractor reads again: the pages whose stored values would differ today. */
import { type Static, Type } from 'typebox'
import { count, described, Id, orNull } from '../primitives.ts'
import { LinkEdge } from './links.ts'
import { nextOffset, warnings } from './lists.ts'

/** Maximum number of pages in one response. */
const maxPagesOfReplay = 100
/** Maximum number of characters of a value, and of the `rel` of a link. */
export const maxReplayedValue = 1_000
/** Maximum number of links of each list of a page. */
export const maxReplayedLinks = 20

/** The compared fields besides the links. */
const replayFields = [
  'title',
  'content_hash',
  'comparison_hash',
  'charset',
  'metadata.title',
  'metadata.description',
  'metadata.canonical',
  'metadata.lang',
  'metadata.robots',
  'metadata.og',
  'metadata.twitter',
  'metadata.json_ld',
] as const
export type ReplayField = (typeof replayFields)[number]

const value = (when: string) =>
  orNull(
    Type.String({
      description: `${when} A list or an object is JSON. null: the page has none.`,
    }),
  )

export const ReplayChange = Type.Object(
  {
    field: Type.String({ description: `The field: ${replayFields.join(', ')}.` }),
    stored: value('The value that the crawl stored.'),
    now: value('The value of today.'),
    truncated: Type.Optional(
      Type.Literal(true, {
        description: `Present if a value exceeds ${maxReplayedValue} characters. Both are cut to this length around their first difference.`,
      }),
    ),
  },
  { $id: 'ReplayChange' },
)
export type ReplayChange = Static<typeof ReplayChange>

const { from_page_id: _, ...ofLink } = LinkEdge.properties

export const ReplayLink = Type.Object(ofLink, { $id: 'ReplayLink' })
export type ReplayLink = Static<typeof ReplayLink>

export const ReplayLinks = Type.Object(
  {
    added_total: count('Number of links that only the extractor of today finds.'),
    added: Type.Array(ReplayLink, { description: `The first ${maxReplayedLinks} of them.` }),
    removed_total: count('Number of links that only the crawl stored.'),
    removed: Type.Array(ReplayLink, { description: `The first ${maxReplayedLinks} of them.` }),
  },
  {
    $id: 'ReplayLinks',
    description:
      'Links to any site that differ. A link with another text or rel is removed and added. The order is not compared.',
  },
)
export type ReplayLinks = Static<typeof ReplayLinks>

export const ReplayedPage = Type.Object(
  {
    id: described(Id, 'The page.'),
    url: Type.String({ description: 'URL of the page, after redirects.' }),
    changes: Type.Array(ReplayChange, { description: 'The fields that differ.' }),
    links: orNull(ReplayLinks),
  },
  { $id: 'ReplayedPage', description: 'A page that differs. `links` is null if its links are the same.' },
)
export type ReplayedPage = Static<typeof ReplayedPage>

export const Replay = Type.Object(
  {
    run_id: described(Id, 'The crawl.'),
    items: Type.Array(ReplayedPage, { description: 'The pages of this part that differ, ordered by id.' }),
    pages_read: count('Pages of this part that were read and compared.'),
    pages_changed: count('Those of them that differ: the number of items.'),
    pages_not_stored: count('Pages of this part whose body is not stored.'),
    pages_unreadable: count('Pages of this part that cannot be read today; `warnings` has the reasons.'),
    total: count('Pages of the crawl.'),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'Replay' },
)
export type Replay = Static<typeof Replay>

export const ReplayQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: maxPagesOfReplay,
    default: 20,
    description:
      'Maximum number of pages to read. A part ends earlier after some seconds of work; `next_offset` continues.',
  }),
  offset: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'Number of pages to skip: 0, or `next_offset` of the previous part.',
  }),
})
