/** Applies what archive and stream hold to tables that are made anew, as the projection did when it was told. */
import type { StreamMessage } from '@tidemark/bus/read'
import { parted, Unprojectable } from '@tidemark/db/set-aside'
import { inTransaction } from '@tidemark/db/transaction'
import { replayAll } from './archives.ts'
import type { Client, OpenInstance } from './open-instance.ts'
import type { Rebuildable } from './rebuild/rebuildable.ts'
import { replay } from './rebuild/replay.ts'

export type Progress = (sequence: number, end: number) => void

type Filling = {
  /** Where streams and archive are read. */
  instance: OpenInstance
  projection: Rebuildable
  /** Where rows are written. */
  pool: OpenInstance['pool']
  /** As whom; the connection itself unless told. */
  as?: (client: Client) => Client
  /** What was applied before; nothing, by default. */
  after?: number
  to: number
  report: (error: unknown) => void
  progress?: Progress
}

/** In batches, each a transaction. What cannot be read is reported and passed over. Throws `ArchivedMeanwhile`. */
export async function fill(filling: Filling): Promise<void> {
  const { instance, projection, pool, as = client => client, after = 0, to, report, progress } = filling
  const { name, stream, filter } = projection
  const apply = projection.apply(report)
  const write = async (messages: StreamMessage[]) => {
    await parted(messages, {
      write: some => inTransaction(pool, client => apply(as(client) as typeof client, some)),
      passOver: async (message, cause) => report(new Unprojectable(name, stream, message, cause)),
    })
    progress?.(messages.at(-1)?.sequence ?? 0, to)
  }
  if (after === 0) await replayAll(instance, { stream, filter, to }, write)
  else await replay(instance.bus, { stream, filter, from: after + 1, to }, write)
}
