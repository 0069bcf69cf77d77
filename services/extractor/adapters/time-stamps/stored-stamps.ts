/**
 * Stores evidence of runs with its time-stamp. Equal facts keep the evidence that was stored first, because a second
 * time-stamp would differ. Evidence is deleted with its run.
 */
import type { StampedEvidence } from '@tidemark/contracts/rpc/time-stamp'
import type { Pool } from 'pg'

/** Names the facts that were stamped. */
export type StampedFacts = { runId: number; factsHash: string }

export type StoredStamp = Omit<StampedEvidence, 'token'> & { token: Buffer }

export type TimeStamps = {
  /** Returns the stored evidence of these facts, or null. */
  find(facts: StampedFacts): Promise<StoredStamp | null>
  /** Stores the evidence, unless there is some for these facts. Returns the stored evidence. */
  keep(facts: StampedFacts, stamp: StoredStamp): Promise<StoredStamp>
}

const findOne = `
  select signed_text as "signedText", signature, gen_time as "genTime", policy, serial_number as "serialNumber", tsa, token
  from content.time_stamp where run_id = $1 and facts_hash = $2`

const insert = `
  insert into content.time_stamp (run_id, facts_hash, signed_text, signature, gen_time, policy, serial_number, tsa, token)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (run_id, facts_hash) do nothing`

/** The functions reject with the errors of `pg`. */
export function openTimeStamps(client: Pick<Pool, 'query'>): TimeStamps {
  const find: TimeStamps['find'] = async ({ runId, factsHash }) =>
    (await client.query<StoredStamp>(findOne, [runId, factsHash])).rows[0] ?? null
  return {
    find,
    async keep(facts, stamp) {
      const { signedText, signature, genTime, policy, serialNumber, tsa, token } = stamp
      const values = [signedText, signature, genTime, policy, serialNumber, tsa, token]
      await client.query(insert, [facts.runId, facts.factsHash, ...values])
      // A separate statement, because it must see the row that a concurrent request has inserted first.
      return (await find(facts)) ?? stamp
    },
  }
}
