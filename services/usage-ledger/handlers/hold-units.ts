/**
 * Grants a run the pages, or cloud pages, that it is about to have: with what is billed and what others hold they never exceed a
 * cap, however many runs ask at once. The grant of a run only grows; what it did not need is free when it ends.
 */

import { hasNoLimit } from '@tidemark/contracts/limits'
import type { HoldUnits, HoldUnitsAnswer } from '@tidemark/contracts/rpc/usage'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { grantRun, readHold } from '../adapters/holds.ts'
import { lockProject, readStanding } from '../adapters/reservations.ts'
import { grantOf } from '../domain/granting.ts'

/** @param now milliseconds since 1970, read when it is the run's turn */
export const holdUnits =
  (db: Pick<Database, 'transaction'>, now: () => number) =>
  async (question: HoldUnits): Promise<HoldUnitsAnswer> =>
    hasNoLimit(question.limits)
      ? { granted: question.upTo, reason: null }
      : db.transaction(client => hold(client, question, now))

async function hold(client: PoolClient, question: HoldUnits, now: () => number): Promise<HoldUnitsAnswer> {
  const { projectId, runId, kind = 'page', upTo, limits } = question
  await lockProject(client, projectId)
  const { granted, hasEnded } = await readHold(client, runId, kind)
  if (hasEnded || granted >= upTo) return { granted, reason: null }
  const { standing } = await readStanding(client, { projectId, requestId: '', kind }, now())
  const ask = { kind, limits }
  const grant = grantOf({ ...ask, units: upTo - granted }, standing)
  if (grant.granted > 0) await grantRun(client, { projectId, runId }, kind, granted + grant.granted)
  // What others hold they may give back; what is spent is gone.
  const { reason } = grantOf({ ...ask, units: 1 }, { ...standing, held: 0 })
  return { granted: granted + grant.granted, reason }
}
