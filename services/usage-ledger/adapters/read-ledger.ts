/**
 * The bill of a project, row by row: by day, and within a day in the order in which it was written. A new row comes
 * after all of its day; so whoever reads on part by part misses none and sees none twice, unless a bill of a day that
 * is over comes late, as around midnight or after the ledger stood still: then the rows of the days after it move on.
 */
import type { LedgerRow, ReadLedger, ReadLedgerAnswer } from '@tidemark/contracts/rpc/usage'
import type { Pool } from 'pg'

type Row = Omit<LedgerRow, 'at'> & { at: Date }

/** Left out of a row is what most of them have: a page of a crawl, had at the first attempt. */
const some = `
  select created_at as at, day::text, kind, units, coalesce(reason, 'billed') as reason,
    coalesce(operation, case kind when 'page' then 'crawl' else 'crawl_rendered' end) as operation, run_id as "runId", page_id as "pageId",
    case when run_id is not null then coalesce(attempt, 1) end as attempt,
    request_id as "requestId", what, cost_usd::float8 as "costUsd"
  from ledger.unit
  where project_id = $1 and ($2::date is null or day >= $2) and ($3::date is null or day <= $3)
    and ($4::bigint is null or run_id = $4) and ($5::text is null or request_id = $5)
    and ($6::text is null or kind = $6)
  order by day, sequence, page_id, length(token), token limit $7 offset $8`

export const readLedger =
  (pool: Pool) =>
  async ({
    projectId,
    from,
    to,
    runId,
    requestId,
    kind,
    limit,
    offset,
  }: ReadLedger): Promise<ReadLedgerAnswer> => {
    const { rows } = await pool.query<Row>(some, [projectId, from, to, runId, requestId, kind, limit, offset])
    return { rows: rows.map(({ at, ...row }) => ({ at: at.toISOString(), ...row })) }
  }
