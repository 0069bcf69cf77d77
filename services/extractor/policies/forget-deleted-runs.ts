/** Deletes the content of deleted runs, including content that is stored later. */

import { jsonParser } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import type { StreamMessage } from '@tidemark/bus/read'
import { repeat } from '@tidemark/bus/repeat'
import type { Objects } from '@tidemark/content/objects'
import { isSweepDue, recordDeleted, sweepContent } from '@tidemark/content/sweeping'
import { AnyCommit } from '@tidemark/contracts/commit'
import { runOfSubject } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'
import type { Projection } from '@tidemark/db/projector'
import { bufferOf } from '../domain/buffer-of.ts'

const sweepEveryMs = 1_000
const parseCommit = jsonParser(AnyCommit)

/** Records the deleted runs. Throws `Unreadable`. */
export const recordDeletions: Projection['apply'] = async (client, messages) => {
  const runIds = messages.filter(hasDeletion).map(({ subject }) => runOfSubject(subject).runId)
  await recordDeleted(client, runIds)
}

/** Sweeps the recorded runs every second until the signal aborts, including objects in an object store. */
export async function sweepDeleted(
  bus: Pick<Bus, 'nc'>,
  { pool, transaction }: Pick<Database, 'pool' | 'transaction'>,
  objects: Objects | undefined,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<void> {
  const sweep = async () => {
    // Most sweeps find nothing, and then need no transaction.
    if (objects !== undefined || (await isSweepDue(pool))) await sweepContent(transaction, signal, objects)
  }
  const name = 'the sweep of content'
  await repeat(sweep, { ...{ name, bus, isSpare: true }, ...{ pauseMs: sweepEveryMs, signal, report } })
}

/** All events of all runs pass through here, so most are judged by their bytes only. */
function hasDeletion({ data }: StreamMessage): boolean {
  if (!bufferOf(data).includes('"RunDeleted"')) return false
  return parseCommit(data).events.some(({ type }) => type === 'RunDeleted')
}
