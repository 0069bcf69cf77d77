/** Reads the redirects of a run, batch by batch; never all at once. */
import type { OfProject } from '@tidemark/db/of-project'
import type { PagesByUrl } from '../domain/pages-by-url.ts'
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

/** Maximum number of consecutive redirects to follow; no run follows more. */
export const maxHops = 20

/**
 * Adds the URLs that redirected to a page, directly or by further redirects. A URL redirects usually before its target
 * does, so one pass from the latest to the first finds most. Each pass follows at least one more hop, and only URLs that
 * lead to a page are kept. Rejects with the reason of the signal when it aborts.
 */
export async function addRedirects(
  reads: OfProject,
  run: OfRun,
  pages: PagesByUrl<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  for (let hop = 0, hasMore = true; hop <= maxHops && hasMore; hop++) {
    let [isAnyAdded, isAnyLeft] = [false, false]
    for await (const { keys, targets } of redirectsOf(reads, run)) {
      signal?.throwIfAborted()
      for (const [n, key] of keys.entries()) {
        if (pages.find(key) !== undefined) continue
        if (pages.alias(key, targets[n] ?? '')) isAnyAdded = true
        else isAnyLeft = true
      }
    }
    hasMore = isAnyAdded && isAnyLeft
  }
}
