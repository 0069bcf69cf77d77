/**
 * Reads the bill of a project row by row: by day, and within a day in the order of writing. A new row comes after all
 * rows of its day, so a client that reads page by page misses no row and gets none twice. The exception is a late bill
 * of a past day, around midnight or after an outage of the ledger: it shifts the rows of the later days.
 */
import type { LedgerRow, ReadLedger, ReadLedgerResponse } from '@tidemark/contracts/rpc/usage'
import type { ReadLong } from './long-reads.ts'

type Row = Omit<LedgerRow, 'at'> & { at: Date }

/** Rows store null for the most frequent case: a billed page of a crawl, fetched at the first attempt. */
const selectRows = `
  select created_at as at, day::text, kind, units, coalesce(reason, 'billed') as reason,
    coalesce(operation, case kind when 'page' then 'crawl' else 'crawl_rendered' end) as operation, run_id as "runId", page_id as "pageId",
    case when run_id is not null then coalesce(attempt, 1) end as attempt,
    request_id as "requestId", what, cost_usd::float8 as "costUsd", model, input_tokens as "inputTokens",
    output_tokens as "outputTokens"
  from ledger.unit
  where project_id = $1 and ($2::date is null or day >= $2) and ($3::date is null or day <= $3)
    and ($4::bigint is null or run_id = $4) and ($5::text is null or request_id = $5)
    and ($6::text is null or kind = $6)
  order by day, sequence, page_id, length(token), token limit $7 offset $8`

/** The limits of reads of the ledger. Gateways wait ten seconds. */
export const ledgerLimits = { atOnce: 2, maxMs: 8_000, callerMs: 10_000 }
const advice =
  'The ledger of this project is long: request fewer days, or continue from a later day instead of a large offset.'

export const readLedger =
  (readLong: ReadLong) =>
  async (request: ReadLedger): Promise<ReadLedgerResponse> => {
    const { projectId, from, to, runId, requestId, kind, limit, offset } = request
    const values = [projectId, from, to, runId, requestId, kind, limit, offset]
    const { rows } = await readLong({
      projectId,
      advice,
      read: pool => pool.query<Row>(selectRows, values),
    })
    return { rows: rows.map(({ at, ...row }) => ({ at: at.toISOString(), ...row })) }
  }
