/** The link graph of a run, its orphans, and the difference to another run (specification, Crawls). */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp } from '../primitives.ts'

const Warnings = Type.Optional(Type.Array(Type.String()))

export const LinkEdge = Type.Object(
  {
    from_page_id: Id,
    to_url: Type.String(),
    anchor: Type.String(),
    rel: orNull(Type.String()),
    nofollow: Type.Boolean(),
  },
  { $id: 'LinkEdge' },
)
export type LinkEdge = Static<typeof LinkEdge>

export const LinkList = Type.Object(
  { items: Type.Array(LinkEdge), next_offset: orNull(Type.Integer()), warnings: Warnings },
  { $id: 'LinkList' },
)
export type LinkList = Static<typeof LinkList>

export const LinkListQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100_000, default: 100 }),
  offset: Type.Integer({ minimum: 0, default: 0 }),
  from_page_id: Type.Optional(Type.Integer()),
  to_url: Type.Optional(
    Type.String({ maxLength: 8192, description: 'Only links to this address, however it is spelled.' }),
  ),
})
export type LinkListQuery = Static<typeof LinkListQuery>

export const OrphanList = Type.Object(
  {
    items: Type.Array(
      Type.Object({ id: Id, url: Type.String(), status: Type.Integer(), fetched_at: Timestamp }),
    ),
    warnings: Warnings,
  },
  { $id: 'OrphanList' },
)
export type OrphanList = Static<typeof OrphanList>

export const DiffParams = Type.Object({ id: Type.Integer(), new_id: Type.Integer() })
export type DiffParams = Static<typeof DiffParams>

const OnePage = Type.Object({ url: Type.String(), hash: Type.String() })

export const RunDiff = Type.Object(
  {
    old_run_id: Id,
    new_run_id: Id,
    summary: Type.Object({
      added: Type.Integer(),
      removed: Type.Integer(),
      changed: Type.Integer(),
      unchanged: Type.Integer(),
    }),
    added: Type.Array(OnePage),
    removed: Type.Array(OnePage),
    changed: Type.Array(
      Type.Object({ url: Type.String(), old_hash: Type.String(), new_hash: Type.String() }),
    ),
  },
  { $id: 'RunDiff' },
)
export type RunDiff = Static<typeof RunDiff>
