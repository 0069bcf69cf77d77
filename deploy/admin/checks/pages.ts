/**
 * Checks that the page count of a run equals its rows and the settled pages in its stream, and that no page is stored
 * twice.
 */
import type { Client } from '../open-instance.ts'
import type { RunHistory } from '../rebuild/run-histories.ts'
import { count, type Findings } from './check.ts'

type Row = { id: number; page_count: number | null; rows: number; keys: number }

/** Pages by run, without those of deleted runs, which the sweeper removes. */
const counted = `
  select coalesce(run.id, page.run_id) as id, run.page_count, coalesce(page.rows, 0) as rows, coalesce(page.keys, 0) as keys
  from read.run
  full join (
    select run_id, count(*)::int as rows, count(distinct url_key)::int as keys from read.page group by run_id
  ) page on page.run_id = run.id
  where coalesce(run.id, page.run_id) not in (select run_id from read.deleted_run)
  order by 1`

/**
 * Returns the faults of all runs.
 * @param histories up to the sequence that the rows have reached
 */
export async function checkPages(
  client: Client,
  histories: ReadonlyMap<number, RunHistory>,
): Promise<Findings> {
  const { rows } = await client.query<Row>(counted)
  const seen = new Set(rows.map(({ id }) => id))
  const kept = [...histories.values()].filter(({ deletedWith }) => deletedWith === null)
  const wrong = [
    ...rows.flatMap(row => faultsOf(row, histories.get(row.id)).map(fault => `run ${row.id}: ${fault}`)),
    ...kept.flatMap(({ runId }) => (seen.has(runId) ? [] : [`run ${runId} has no row`])),
    ...kept.flatMap(({ runId, settledTwice }) =>
      settledTwice.map(key => `run ${runId}: URL ${key} was settled twice`),
    ),
  ]
  const pages = rows.reduce((sum, { rows }) => sum + rows, 0)
  return { looked: `${count(pages, 'page')} of ${count(rows.length, 'run')}`, wrong }
}

function faultsOf({ page_count, rows, keys }: Row, history: RunHistory | undefined): string[] {
  if (page_count === null) return [`${count(rows, 'page')}, but there is no such run`]
  if (history === undefined) return ['it has a row, but no event']
  if (history.deletedWith !== null)
    return rows > 0 ? [`it was deleted, but ${count(rows, 'page')} stayed`] : []
  const faults: string[] = []
  if (page_count !== rows) faults.push(`page_count ${page_count}, but ${count(rows, 'row')}`)
  if (history.settled !== rows)
    faults.push(`${count(rows, 'row')}, but ${history.settled} pages were settled`)
  if (keys !== rows) faults.push(`${count(rows, 'row')} of ${count(keys, 'URL')}`)
  return faults
}
