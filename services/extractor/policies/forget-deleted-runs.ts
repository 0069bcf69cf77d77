/** Whenever a run is deleted, its content goes: what is stored of it now, and what is stored later. */
import { again } from '@tidemark/bus/again'
import { jsonParser } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import type { StreamMessage } from '@tidemark/bus/read'
import type { Objects } from '@tidemark/content/objects'
import { rememberDeleted, sweepContent } from '@tidemark/content/sweeping'
import { AnyCommit } from '@tidemark/contracts/commit'
import { runOfSubject } from '@tidemark/contracts/subjects'
import type { Database } from '@tidemark/db/database'
import type { Projection } from '@tidemark/db/projector'

const sweepEveryMs = 1_000
const parseCommit = jsonParser(AnyCommit)

/** Notes which runs are deleted. Throws `Unreadable`. */
export const noteDeletions: Projection['apply'] = async (client, messages) => {
  const deleted = messages.filter(tellsOfDeletion)
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
function tellsOfDeletion({ data }: StreamMessage): boolean {
  if (!Buffer.from(data.buffer, data.byteOffset, data.byteLength).includes('"RunDeleted"')) return false
  return parseCommit(data).events.some(({ type }) => type === 'RunDeleted')
}
