/**
 * Deletes runs for an administrator exactly as their owner would: queued and running ones end, and everything except
 * the bill is deleted. A deleted run is left as it is, so all steps can be repeated.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { call, hasNoServer } from '@tidemark/bus/rpc'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import type { DeleteRun, IsRunActive } from '@tidemark/contracts/rpc/runs'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { AdminError } from '../admin-error.ts'
import type { OpenInstance } from '../open-instance.ts'
import type { Print } from '../print.ts'
import { sentenceOf } from '../sentence.ts'

/** Limit of one deletion, before which the coordinator reads the whole run. */
const deleteMs = 60_000
const answerMs = 10_000
/** Time in which an admitted run begins. */
const beginMs = 30_000
const pollIntervalMs = 200
const batchSize = 500

const find = `
  select run_id, url, released_at from coordinator.admission
  where project_id = $1 and run_id > $2 and ($3::timestamptz is null or released_at < $3)
    and not exists (
      select from coordinator.deletion where deletion.run_id = admission.run_id and sequence is not null)
  order by run_id limit ${batchSize}`

type Found = { run_id: number; url: string | null; ended_at: Date | null }

/**
 * Selects the runs of a project that ended before this time, or all of its runs if it is null, without those in `kept`.
 */
export type RunSelection = { projectId: number; before: Date | null; kept: ReadonlySet<number> }

type Admission = { projectId: number; url: string | null }

/** Returns the project and the URL of a run; null for an unknown run. */
export async function findRun(
  { pool }: Pick<OpenInstance, 'pool'>,
  runId: number,
): Promise<Admission | null> {
  const { rows } = await pool.query<{ project_id: number; url: string | null }>(
    'select project_id, url from coordinator.admission where run_id = $1',
    [runId],
  )
  return rows[0] ? { projectId: Number(rows[0].project_id), url: rows[0].url } : null
}

/** Returns the status of a run; a run that has not begun is queued. */
export async function statusOf(bus: Bus, run: IsRunActive): Promise<string> {
  const { status = 'queued' } = await call(bus, runsRpc.isRunActive, run, { timeoutMs: answerMs })
  return status
}

/** Yields the selected runs in the order of their ids. */
async function* findRuns(
  { pool }: Pick<OpenInstance, 'pool'>,
  { projectId, before, kept }: RunSelection,
): AsyncGenerator<Found> {
  for (let after = 0; ; ) {
    const { rows } = await pool.query(find, [projectId, after, before])
    for (const { run_id, url, released_at } of rows)
      if (!kept.has(Number(run_id))) yield { run_id: Number(run_id), url, ended_at: released_at }
    const last = rows.at(-1)
    if (last === undefined) return
    after = Number(last.run_id)
  }
}

/** Returns the number of runs that `deleteRuns` would delete, and the first and the last of them. */
export async function countRuns(instance: Pick<OpenInstance, 'pool'>, selection: RunSelection) {
  let found = 0
  let first: Found | null = null
  let last: Found | null = null
  for await (const run of findRuns(instance, selection)) {
    found++
    first ??= run
    last = run
  }
  return { found, first, last }
}

/**
 * Deletes the selected runs. Reports a run that cannot be deleted and continues with the others, unless no service
 * responds.
 * @returns the number of deleted runs, and the runs that were not deleted
 */
export async function deleteRuns(
  instance: Pick<OpenInstance, 'pool' | 'bus'>,
  selection: RunSelection,
  print: Print,
): Promise<{ deleted: number; failed: { run_id: number; why: string }[] }> {
  let deleted = 0
  const failed: { run_id: number; why: string }[] = []
  for await (const { run_id } of findRuns(instance, selection)) {
    try {
      if (await deleteOne(instance.bus, { projectId: selection.projectId, runId: run_id })) deleted++
    } catch (error) {
      const why = sentenceOf(error)
      if (why === null || hasNoServer(error)) throw error
      print(`run ${run_id} stays: ${why}`)
      failed.push({ run_id, why })
    }
  }
  return { deleted, failed }
}

/**
 * Deletes a run. Returns false if it was deleted before. Throws AdminError for a queued run, which cannot be deleted
 * yet.
 */
export async function deleteOne(bus: Bus, run: DeleteRun): Promise<boolean> {
  for (const limit = performance.now() + beginMs; ; await sleep(pollIntervalMs)) {
    const timeoutMs = deleteMs
    const answer = await call(bus, runsRpc.deleteRun, run, { timeoutMs })
    if (answer.deleted) return true
    if ((await statusOf(bus, run)) === 'deleted') return false
    if (performance.now() > limit)
      throw new AdminError(`Run ${run.runId} was admitted and has not begun. Try again when it has.`)
  }
}

/** Returns the ids of runs that the project's monitors may still compare. */
export async function comparedWith(bus: Bus, projectId: number): Promise<Set<number>> {
  const question = { projectId }
  const { runIds } = await call(bus, forgetRpc.keptRuns, question, { timeoutMs: answerMs })
  return new Set(runIds)
}
