/**
 * URLs without a page that a run has judged → `read.pageless`: a row for each reason in a commit, with all its URL keys,
 * so that a hundred thousand URLs beyond a limit are few rows. A run without a row gets none.
 */
import type { UrlsWithoutPage } from '../domain/without-page.ts'
import type { Client } from './table.ts'

/** The run, and the position of the decision in the stream. */
export type NewUrlWithoutPage = UrlsWithoutPage & { runId: number; sequence: number }

/** The parameter is JSON, because an array in Postgres cannot hold lists of different lengths. */
const insert = `
  insert into read.pageless (run_id, project_id, sequence, cause, keys, targets)
  select run.id, run.project_id, decision.sequence, decision.cause, array(select jsonb_array_elements_text(decision.keys)),
    case when decision.targets is not null then array(select jsonb_array_elements_text(decision.targets)) end
  from jsonb_to_recordset($1::jsonb)
    as decision (run_id bigint, sequence bigint, cause text, keys jsonb, targets jsonb)
  join read.run on run.id = decision.run_id
  on conflict do nothing`

export async function insertUrlsWithoutPage(
  client: Client,
  reported: readonly NewUrlWithoutPage[],
): Promise<void> {
  const rows = merged(reported).map(({ runId, ...row }) => ({ run_id: runId, ...row }))
  await client.query(insert, [JSON.stringify(rows)])
}

/** Joins decisions of a commit with the same cause, because they are one row. */
function merged(reported: readonly NewUrlWithoutPage[]): NewUrlWithoutPage[] {
  const rows = new Map<string, NewUrlWithoutPage>()
  for (const one of reported) {
    const name = `${one.runId} ${one.sequence} ${one.cause}`
    const known = rows.get(name)
    rows.set(name, known === undefined ? one : both(known, one))
  }
  return [...rows.values()]
}

const both = (known: NewUrlWithoutPage, one: NewUrlWithoutPage): NewUrlWithoutPage => ({
  ...one,
  keys: [...known.keys, ...one.keys],
  ...(one.targets && { targets: [...(known.targets ?? []), ...one.targets] }),
})
