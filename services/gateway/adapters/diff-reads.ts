/**
 * What differs between the pages of two runs. One statement compares them all and gives ids, which are few bytes
 * each; the pages themselves are read in pieces when they are shown.
 */
import type { RunDiff } from '@tidemark/contracts/http/links'
import type { Database } from '@tidemark/db/database'

/** Ids in the order of their pages' URLs; those of changed pages stand side by side. */
export type Difference = {
  unchanged: number
  added: number[]
  removed: number[]
  changedOld: number[]
  changedNew: number[]
}

type OnePage = RunDiff['added'][number]
type TwoPages = RunDiff['changed'][number]

export type DiffReads = {
  compare(projectId: number, oldRunId: number, newRunId: number): Promise<Difference>
  /** The pages with these ids, in this order. */
  pages(projectId: number, ids: readonly number[]): AsyncGenerator<OnePage[]>
  changes(projectId: number, difference: Difference): AsyncGenerator<TwoPages[]>
}

/** Pages are the same when their keys are, and unchanged when their hashes are too. */
const comparison = `
  with pair as (
    select before.id as old_id, after.id as new_id, coalesce(after.url, before.url) collate "C" as url,
      before.content_hash = after.content_hash as same
    from (select * from read.page where project_id = $1 and run_id = $2) before
    full join (select * from read.page where project_id = $1 and run_id = $3) after using (url_key)
  )
  select
    count(*) filter (where same) as unchanged,
    coalesce(array_agg(new_id order by url) filter (where old_id is null), '{}') as added,
    coalesce(array_agg(old_id order by url) filter (where new_id is null), '{}') as removed,
    coalesce(array_agg(old_id order by url) filter (where not same), '{}') as "changedOld",
    coalesce(array_agg(new_id order by url) filter (where not same), '{}') as "changedNew"
  from pair`

const shownPages = `select page.url, page.content_hash as hash
  from unnest($2::bigint[]) with ordinality as shown (id, place) join read.page using (id)
  where page.project_id = $1 order by place`

const shownChanges = `select after.url, before.content_hash as old_hash, after.content_hash as new_hash
  from unnest($2::bigint[], $3::bigint[]) with ordinality as shown (old_id, new_id, place)
  join read.page before on before.id = old_id join read.page after on after.id = new_id
  where before.project_id = $1 and after.project_id = $1 order by place`

const shownAtOnce = 1_000

export const openDiffReads = (pool: Database['pool']): DiffReads => ({
  async compare(projectId, oldRunId, newRunId) {
    const { rows } = await pool.query<Difference>(comparison, [projectId, oldRunId, newRunId])
    return rows[0] ?? { unchanged: 0, added: [], removed: [], changedOld: [], changedNew: [] }
  },

  async *pages(projectId, ids) {
    for (let at = 0; at < ids.length; at += shownAtOnce) {
      const values = [projectId, ids.slice(at, at + shownAtOnce)]
      yield (await pool.query<OnePage>(shownPages, values)).rows
    }
  },

  async *changes(projectId, { changedOld, changedNew }) {
    for (let at = 0; at < changedNew.length; at += shownAtOnce) {
      const part = (ids: number[]) => ids.slice(at, at + shownAtOnce)
      const values = [projectId, part(changedOld), part(changedNew)]
      yield (await pool.query<TwoPages>(shownChanges, values)).rows
    }
  },
})
