/**
 * Grants a request one call of the language model. Billed and reserved calls of a project together never exceed the cap
 * of the day, however many requests arrive at once.
 */
import { dayOf, secondsToMidnight } from '@tidemark/contracts/calendar'
import type { ReserveModelCall, ReserveModelCallResponse } from '@tidemark/contracts/rpc/usage'
import type { PoolClient } from 'pg'
import type { LockedProjects } from '../adapters/locked-projects.ts'
import { keep } from '../adapters/reservations.ts'

const kind = 'model_call'

/** One statement reads both sums, so that a call that is being billed counts once: as reserved or as billed. */
const standing = `
  select
    coalesce((select model_calls from ledger.counter where project_id = $1 and day = $3::date), 0)
      + coalesce((select sum(units) from ledger.reservation where project_id = $1 and kind = '${kind}'), 0) as calls,
    exists (
      select from ledger.reservation where project_id = $1 and request_id = $2 and kind = '${kind}'
    ) as is_granted`

/**
 * @param cap calls of a project in a UTC day
 * @param now time in ms since 1970, read after the project is locked
 */
export const reserveModelCall =
  (projects: Pick<LockedProjects, 'run'>, cap: number, now: () => number) =>
  async (request: ReserveModelCall): Promise<ReserveModelCallResponse> => {
    const grant = await projects.run(request.projectId, client => reserve(client, request, cap, now))
    return { ...grant, cap, retryAfterSeconds: secondsToMidnight(now()) }
  }

async function reserve(
  client: PoolClient,
  request: ReserveModelCall,
  cap: number,
  now: () => number,
): Promise<Pick<ReserveModelCallResponse, 'granted' | 'isRepeated'>> {
  const { projectId, requestId } = request
  const at = now()
  const { rows } = await client.query(standing, [projectId, requestId, dayOf(at)])
  const [{ calls, is_granted }] = rows
  if (is_granted) return { granted: true, isRepeated: true }
  if (Number(calls) >= cap) return { granted: false }
  await keep(client, { ...request, kind }, { granted: 1, reason: null }, at)
  return { granted: true }
}
