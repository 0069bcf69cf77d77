/**
 * The pages of an ended run as leaves of its tree, in the order of their ids. Each batch is read only if the run still
 * exists, so that no leaf of a deleted run is returned.
 */
import type { EvidenceLeaf, EvidenceStatement } from '@tidemark/contracts/http/evidence'
import type { OfProject } from '@tidemark/db/of-project'
import { inBatches, type Window } from '../../http/domain/window.ts'
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'

/** The facts of an ended run that its statement has in addition to the root of the hash tree. */
export type EndedRun = Pick<
  EvidenceStatement,
  'crawl_id' | 'error_count' | 'finished_at' | 'started_at' | 'status' | 'stop_reason' | 'url'
>

export type LeafReads = {
  /** Returns the run if it has ended, and null otherwise. */
  run(run: OfRun): Promise<EndedRun | null>
  /** Returns the id of the run of a page; null: the project has no such page. */
  runOfPage(projectId: number, pageId: number): Promise<number | null>
  /** The leaves of the window, all by default, in batches. */
  pieces(run: OfRun, window?: Window): AsyncGenerator<EvidenceLeaf[]>
  /** Returns where the list continues after the window; null at its end. */
  nextOffset(run: OfRun, window: Window): Promise<number | null>
}

type RunRow = Omit<EndedRun, 'finished_at' | 'started_at'> & { finished_at: Date; started_at: Date | null }
type LeafRow = Omit<EvidenceLeaf, 'address' | 'certificate' | 'fetched_at'> & {
  address: string | null
  certificate: string | null
  fetched_at: Date
}

const oneRun = `select id as crawl_id, error_count, finished_at, started_at, status, stop_reason, url from read.run
  where id = $1 and project_id = $2 and finished_at is not null`

const onePage = 'select run_id from read.page where id = $1 and project_id = $2'

const leaves = `select address, blocked, bytes, certificate, content_hash, fetched_at, id, raw_hash, rendered, requested_url,
    status, url
  from read.page
  where run_id = $1 and project_id = $2 and id > $3 and exists (select from read.run where run.id = $1)
  order by id limit $4 offset $5`

const readAtOnce = 500
const everything: Window = { limit: Number.MAX_SAFE_INTEGER, offset: 0 }

export function openLeafReads(reads: OfProject): LeafReads {
  async function read({ projectId, runId }: OfRun, after: number, { limit, offset }: Window) {
    const statement = {
      name: 'evidence-leaves',
      text: leaves,
      values: [runId, projectId, after, limit, offset],
    }
    return (await reads(projectId).query<LeafRow>(statement)).rows.map(leafOf)
  }

  return {
    async run({ projectId, runId }) {
      const { rows } = await reads(projectId).query<RunRow>(oneRun, [runId, projectId])
      return rows[0] ? runOf(rows[0]) : null
    },

    async runOfPage(projectId, pageId) {
      const { rows } = await reads(projectId).query<{ run_id: number }>(onePage, [pageId, projectId])
      return rows[0]?.run_id ?? null
    },

    pieces: (run, window = everything) =>
      inBatches(window, readAtOnce, (after, part) => read(run, after, part)),

    async nextOffset(run, { limit, offset }) {
      const next = offset + limit
      if (!Number.isSafeInteger(next)) return null
      return (await read(run, 0, { limit: 1, offset: next })).length > 0 ? next : null
    },
  }
}

const runOf = ({ finished_at, started_at, ...rest }: RunRow): EndedRun => ({
  ...rest,
  finished_at: finished_at.toISOString(),
  started_at: started_at?.toISOString() ?? null,
})

/** Keeps the order of the columns, which is that of the canonical text. An unknown peer is absent. */
function leafOf({ address, blocked, bytes, certificate, ...row }: LeafRow): EvidenceLeaf {
  return {
    ...(address !== null && { address }),
    ...{ blocked, bytes },
    ...(certificate !== null && { certificate }),
    ...row,
    fetched_at: row.fetched_at.toISOString(),
  }
}
