/**
 * Limits the requests of a project to the authority in a UTC day, over all extractors. It counts requests and not
 * stored time-stamps, because refused requests load the authority as well, and time-stamps are deleted with their runs.
 */
import { maxStampsPerDay } from '@tidemark/contracts/rpc/time-stamp'
import type { Pool } from 'pg'

export type DailyRequests = {
  /** Counts a request; false: the project has sent as many as it may today. */
  take(projectId: number): Promise<boolean>
  /** Takes back a request that did not reach the authority. */
  giveBack(projectId: number): Promise<void>
}

const today = `(now() at time zone 'utc')::date`

/** The row is locked while it is updated, so concurrent requests do not exceed the limit. */
const take = `
  insert into content.time_stamp_requests as counted (project_id, day, requests) values ($1, ${today}, 1)
  on conflict (project_id) do update set
    day = excluded.day,
    requests = case when counted.day = excluded.day then counted.requests + 1 else 1 end
  where counted.day <> excluded.day or counted.requests < $2`

const giveBack = `
  update content.time_stamp_requests set requests = requests - 1
  where project_id = $1 and day = ${today} and requests > 0`

/** The functions reject with the errors of `pg`. */
export const openDailyRequests = (client: Pick<Pool, 'query'>): DailyRequests => ({
  take: async projectId => (await client.query(take, [projectId, maxStampsPerDay])).rowCount === 1,
  async giveBack(projectId) {
    await client.query(giveBack, [projectId])
  },
})
