/**
 * Counts the unfinished runs that still need an older key: it sealed a value in their first event, or the session of their
 * login.
 */
import { decodeJson } from '@tidemark/bus/codec'
import { storedMessage } from '@tidemark/bus/stored'
import type { RunCommit } from '@tidemark/contracts/run'
import type { RunSettings } from '@tidemark/contracts/run-settings'
import { streams, subjects } from '@tidemark/contracts/subjects'
import type { Sealer } from '@tidemark/secrets/seal'
import type { OpenInstance } from '../open-instance.ts'

export async function countRunsWithOldKeys(
  { pool, bus }: Pick<OpenInstance, 'pool' | 'bus'>,
  { isNewest }: Pick<Sealer, 'isNewest'>,
): Promise<number> {
  const { rows } = await pool.query<{ run_id: number; session: string | null }>(
    `select run_id, sealed as session from coordinator.admission left join coordinator.login_session using (run_id)
     where released_at is null order by run_id`,
  )
  let count = 0
  for (const { run_id, session } of rows) {
    if (session !== null && !isNewest(session)) {
      count++
      continue
    }
    const first = await storedMessage(bus, streams.runs, { seq: 1, next_by_subj: subjects.run(run_id) })
    // The first event is not stored yet and may contain any value.
    if (first === null || sealedIn(decodeJson(first.data) as RunCommit).some(sealed => !isNewest(sealed)))
      count++
  }
  return count
}

const sealedIn = ({ events }: RunCommit): string[] =>
  events.flatMap(({ type, data }) => (type === 'RunQueued' ? sealedOf(data.settings) : []))

const sealedOf = ({ headers, cookies, proxy, login }: RunSettings): string[] =>
  [headers, cookies, proxy?.sealed, login?.steps].filter(sealed => sealed !== undefined)
