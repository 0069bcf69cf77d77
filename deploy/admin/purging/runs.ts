/**
 * Deletes runs on an administrator's behalf, in the way in which their owner would: what is queued or running ends, and
 * all goes but the bill. A run that is deleted already is left as it is, so all of it may be repeated.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type { KeptRuns, KeptRunsAnswer } from '@tidemark/contracts/ask/forget'
import type { DeleteRun, DeleteRunAnswer, IsRunActive, IsRunActiveAnswer } from '@tidemark/contracts/ask/runs'
import { asks } from '@tidemark/contracts/subjects'
import { AdminError } from '../admin-error.ts'
import type { OpenInstance } from '../open-instance.ts'

/** A long run is read before it is deleted. */
const deleteMs = 60_000
const answerMs = 10_000
/** One that was admitted a moment ago may not have begun. */
const beginMs = 30_000
const lookMs = 200
const atOnce = 500

const find = `
  select run_id from coordinator.admission
  where project_id = $1 and run_id > $2 and ($3::timestamptz is null or released_at < $3)
    and not exists (
      select from coordinator.deletion where deletion.run_id = admission.run_id and sequence is not null)
  order by run_id limit ${atOnce}`

/** Whose it is, or was; null for a run that never was. */
export async function projectOfRun(
  { pool }: Pick<OpenInstance, 'pool'>,
  runId: number,
): Promise<number | null> {
  const { rows } = await pool.query<{ project_id: number }>(
    'select project_id from coordinator.admission where run_id = $1',
    [runId],
  )
  return rows[0] ? Number(rows[0].project_id) : null
}

/**
 * Of a project all that ended before this moment, or simply all; but for `kept`.
 * @returns how many were deleted just now
 */
export async function deleteRuns(
  { pool, bus }: Pick<OpenInstance, 'pool' | 'bus'>,
  { projectId, before, kept }: { projectId: number; before: Date | null; kept: ReadonlySet<number> },
): Promise<number> {
  let deleted = 0
  for (let after = 0; ; ) {
    const { rows } = await pool.query<{ run_id: number }>(find, [projectId, after, before])
    for (const runId of rows.map(row => Number(row.run_id)).filter(runId => !kept.has(runId))) {
      if (await deleteOne(bus, { projectId, runId })) deleted++
    }
    const last = rows.at(-1)
    if (last === undefined) return deleted
    after = Number(last.run_id)
  }
}

/**
 * False where it was deleted before. Throws AdminError for a run that cannot be deleted yet, as it has not begun.
 */
export async function deleteOne(bus: Bus, run: DeleteRun): Promise<boolean> {
  for (const limit = performance.now() + beginMs; ; await sleep(lookMs)) {
    const timeoutMs = deleteMs
    const answer = await ask<DeleteRun, DeleteRunAnswer>(bus, asks.deleteRun, run, { timeoutMs })
    if (answer.deleted) return true
    const state = await ask<IsRunActive, IsRunActiveAnswer>(bus, asks.isRunActive, run, {
      timeoutMs: answerMs,
    })
    if (state.status === 'deleted') return false
    if (performance.now() > limit)
      throw new AdminError(`Run ${run.runId} was admitted and has not begun. Try again when it has.`)
  }
}

/** What runs of the project's monitors may still be compared with. */
export async function comparedWith(bus: Bus, projectId: number): Promise<Set<number>> {
  const question = { projectId }
  const { runIds } = await ask<KeptRuns, KeptRunsAnswer>(bus, asks.keptRuns, question, {
    timeoutMs: answerMs,
  })
  return new Set(runIds)
}
