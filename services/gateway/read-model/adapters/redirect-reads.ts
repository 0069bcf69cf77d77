/** Reads the redirects of a run, batch by batch; never all at once. */
import type { OfProject } from '@tidemark/db/of-project'
import { marks } from '../domain/without-page.ts'
import type { OfRun } from './crawled-pages.ts'

/** URL keys, and at the same positions the keys to which they redirected. */
export type Redirects = { keys: string[]; targets: string[] }

type Row = Redirects & { sequence: number }

const batch = {
  name: 'redirects',
  text: `select sequence, keys, targets from read.pageless
    where run_id = $1 and project_id = $2 and cause = '${marks.redirected}' and targets is not null
      and sequence < $3 and sequence <= $4
    order by sequence desc limit $5`,
}

const rowsAtOnce = 200

/** Yields the redirects of the run, the latest first, up to the sequence of the run. */
export async function* redirectsOf(
  reads: OfProject,
  { projectId, runId, upToSequence = Number.MAX_SAFE_INTEGER }: OfRun,
): AsyncGenerator<Redirects> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const values = [runId, projectId, before, upToSequence, rowsAtOnce]
    const { rows } = await reads(projectId).query<Row>({ ...batch, values })
    yield* rows
    if (rows.length < rowsAtOnce) return
    before = rows.at(-1)?.sequence ?? 0
  }
}
