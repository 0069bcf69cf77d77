/**
 * Grants a request the units that it is about to spend: what is billed, what others hold and what it gets never
 * exceed a cap, however many ask at once. A refusal keeps nothing, so asking again may find room; and who was granted all
 * that he asked for may ask for more.
 */

import { hasNoLimit } from '@tidemark/contracts/limits'
import type { ReleaseUnits, ReserveUnits, ReserveUnitsAnswer } from '@tidemark/contracts/rpc/usage'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { drop, keep, lockProject, readStanding } from '../adapters/reservations.ts'
import { type Grant, grantOf, heldByOthers, secondsUntil } from '../domain/granting.ts'

type Transactions = Pick<Database, 'transaction'>

/** @param now milliseconds since 1970, read when it is the request's turn */
export const reserveUnits =
  (db: Transactions, now: () => number) =>
  async (question: ReserveUnits): Promise<ReserveUnitsAnswer> => {
    const { granted, reason, held } = hasNoLimit(question.limits)
      ? { granted: question.units, reason: null, held: 0 }
      : await db.transaction(client => reserve(client, question, now))
    return { granted, reason, retryAfterSeconds: secondsUntil(reason, now()), ...(held > 0 && { held }) }
  }

/** Gives back what the request holds; once it was granted, if it is being granted right now. */
export const releaseUnits =
  (db: Transactions) =>
  async (request: ReleaseUnits): Promise<void> => {
    await db.transaction(async client => {
      await lockProject(client, request.projectId)
      await drop(client, [request])
    })
  }

async function reserve(
  client: PoolClient,
  question: ReserveUnits,
  now: () => number,
): Promise<Grant & { held: number }> {
  await lockProject(client, question.projectId)
  const at = now()
  const { standing, before } = await readStanding(client, question, at)
  const had = before?.granted ?? 0
  if (before !== null && (before.reason !== null || had >= question.units)) return { ...before, held: 0 }
  const asked = { ...question, units: question.units - had }
  const more = grantOf(asked, standing)
  const grant = { granted: had + more.granted, reason: more.reason }
  if (grant.granted > 0) await keep(client, question, grant, at)
  return { ...grant, held: heldByOthers(asked, standing, had) }
}
