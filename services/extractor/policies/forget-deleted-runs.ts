/** Whenever a run is deleted, its content goes: what is stored of it now, and what is stored later. */
import { again } from '@tidemark/bus/again'
import { decodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import type { StreamMessage } from '@tidemark/bus/read'
import type { Objects } from '@tidemark/content/objects'
import { rememberDeleted, sweepContent } from '@tidemark/content/sweeping'
import { AnyCommit } from '@tidemark/contracts/commit'
import { runOfSubject } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'
import type { Projection } from '@tidemark/db/projector'
import { Compile } from 'typebox/compile'

const sweepEveryMs = 1_000
const commits = Compile(AnyCommit)

/** Notes which runs are deleted. */
export const noteDeletions =
  (report: (error: unknown) => void): Projection['apply'] =>
  async (client, messages) => {
    const deleted = messages.filter(message => tellsOfDeletion(message, report))
    await rememberDeleted(
      client,
      deleted.map(({ subject }) => runOfSubject(subject).runId),
    )
  }

/** Sweeps what is noted, every second, until the signal aborts; objects too, where there is a store of them. */
export async function sweepDeleted(
  bus: Pick<Bus, 'nc'>,
  { transaction }: Pick<Database, 'transaction'>,
  objects: Objects | undefined,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<void> {
  const name = 'the sweep of content'
  await again(() => sweepContent(transaction, signal, objects), {
    ...{ name, bus, isSpare: true },
    ...{ pauseMs: sweepEveryMs, signal, report },
  })
}

/** Every commit of every run comes by here, so most are judged by their bytes alone. */
function tellsOfDeletion({ data, sequence }: StreamMessage, report: (error: unknown) => void): boolean {
  if (!Buffer.from(data.buffer, data.byteOffset, data.byteLength).includes('"RunDeleted"')) return false
  try {
    const commit = decodeJson(data)
    return commits.Check(commit) && commit.events.some(({ type }) => type === 'RunDeleted')
  } catch (cause) {
    report(new Error(`message ${sequence} cannot be read`, { cause }))
    return false
  }
}
