/**
 * Pages that no other crawled page links to, found by reading every page's links once, and cached. Memory holds the
 * short key of each page, never its links.
 */
import type { OfProject } from '@tidemark/db/of-project'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import { countInlinks, knownPages } from '../../read-model/adapters/count-inlinks.ts'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'
import { cachedByRun, type RunResults } from '../../read-model/adapters/run-results.ts'
import type { LinkSource } from '../../read-model/adapters/scan-links.ts'
import type { Inlinks } from '../../read-model/domain/inlinks.ts'

export type Orphan = { id: number; url: string; status: number; fetched_at: string }

export type OrphanReads = {
  /** Their ids in order, without the seed and the target of its redirect. */
  ids: RunResults<readonly number[]>
  /** These pages in the order of their ids, in pieces. */
  pieces(run: OfRun, ids: readonly number[]): AsyncGenerator<Orphan[]>
}

type Row = Omit<Orphan, 'fetched_at'> & { fetched_at: Date }

const shownAtOnce = 1_000

/** Runs with cached ids: 1 MB for each 100,000 orphans. */
const maxCached = 16

export function openOrphanReads(source: LinkSource): OrphanReads {
  const { reads } = source
  return {
    ids: cachedByRun(
      reads,
      async (run, signal) => {
        const inlinks = await knownPages(reads, run, signal)
        await countSeed(reads, run, inlinks)
        await countInlinks(source, run, inlinks, { signal, isEnough: () => inlinks.unlinked === 0 })
        return inlinks.orphans()
      },
      { max: maxCached },
    ),

    async *pieces({ projectId, runId }, ids) {
      for (let at = 0; at < ids.length; at += shownAtOnce) {
        const values = [runId, projectId, ids.slice(at, at + shownAtOnce)]
        const { rows } = await reads(projectId).query<Row>(shown, values)
        yield rows.map(row => ({ ...row, fetched_at: row.fetched_at.toISOString() }))
      }
    },
  }
}

const shown = `select id, url, status, fetched_at from read.page
  where run_id = $1 and project_id = $2 and id = any($3) order by id`

async function countSeed(reads: OfProject, { projectId, runId }: OfRun, inlinks: Inlinks): Promise<void> {
  const { rows } = await reads(projectId).query<{ url: string }>(
    'select url from read.run where id = $1 and project_id = $2',
    [runId, projectId],
  )
  const seed = rows[0] ? normalForm(rows[0].url) : null
  if (seed !== null) inlinks.link(null, urlKey(seed))
}
