/**
 * Grants a request the units that it is about to spend: what is billed, what others hold and what it gets never
 * exceed a cap, however many ask at once. A refusal keeps nothing, so asking again may find room.
 */
import type { ReleaseUnits, ReserveUnits, ReserveUnitsAnswer } from '@tidemark/contracts/ask/usage'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { drop, keep, lockProject, readStanding } from '../adapters/reservations.ts'
import { type Grant, grantOf, isUnlimited, secondsUntil } from '../domain/granting.ts'

type Transactions = Pick<Database, 'transaction'>

/** @param now milliseconds since 1970, read when it is the request's turn */
export const reserveUnits =
  (db: Transactions, now: () => number) =>
  async (question: ReserveUnits): Promise<ReserveUnitsAnswer> => {
    const { granted, reason } = isUnlimited(question.limits)
      ? { granted: question.units, reason: null }
      : await db.transaction(client => reserve(client, question, now))
    return { granted, reason, retryAfterSeconds: secondsUntil(reason, now()) }
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

async function reserve(client: PoolClient, question: ReserveUnits, now: () => number): Promise<Grant> {
  await lockProject(client, question.projectId)
  const at = now()
  const { standing, before } = await readStanding(client, question, at)
  if (before !== null) return before
  const grant = grantOf(question, standing)
  if (grant.granted > 0) await keep(client, question, grant, at)
  return grant
}
