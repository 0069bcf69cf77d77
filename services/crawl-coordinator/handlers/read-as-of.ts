/** Reads the commits of a run until a time. */
import type { RunCommit } from '@tidemark/contracts/run'
import type { EventStore, Stored } from '@tidemark/eventstore/store'
import { prefixAsOf, type Span } from '../domain/past/prefix.ts'
import { lastOf } from './explain-run.ts'
import { readRun } from './fold-run.ts'

/** A run at a time in epoch milliseconds. */
export type At = { projectId: number; runId: number; time: number; isShared?: true }

/** The result as of a time. `beginsAt` is the begin of the run if the time is earlier; null: there is no such run. */
export type Past<T> = { value: T } | { beginsAt: string } | null

/** Collects commits in their order. Its result is null if they are not a run that can be shown. */
export type Collect<T> = { add: (stored: Stored<RunCommit>) => void; result: () => T | null }

/**
 * Returns the result of the commits up to the time, the version of the whole log, and the times that have this result.
 */
export async function readAsOf<T>(
  store: Pick<EventStore, 'read'>,
  { runId, time }: At,
  { add, result }: Collect<T>,
): Promise<{ version: number; value: Past<T>; span: Span }> {
  const prefix = prefixAsOf(time)
  const log = lastOf()
  let first: string | null = null
  const version = await readRun(store, runId, stored => {
    log.add(stored.commit)
    first ??= stored.commit.at
    if (prefix.includes(stored.commit)) add(stored)
  })
  const { span } = prefix
  if (first === null || !log.isShown()) return { version, value: null, span }
  if (span.from === Number.NEGATIVE_INFINITY) return { version, value: { beginsAt: first }, span }
  const value = result()
  return { version, value: value && { value }, span }
}
