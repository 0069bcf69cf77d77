/** Applies the messages of archive and stream to tables that are being rebuilt, as their projection does. */
import type { StreamMessage } from '@tidemark/bus/read'
import { parted, Unprojectable } from '@tidemark/db/dead-lettering'
import { inTransaction } from '@tidemark/db/transaction'
import { replayAll } from './archives.ts'
import type { Client, OpenInstance } from './open-instance.ts'
import type { Rebuildable } from './rebuild/rebuildable.ts'
import { replay } from './rebuild/replay.ts'

export type Progress = (sequence: number, end: number) => void

type Filling = {
  /** The source of streams and archive. */
  instance: OpenInstance
  projection: Rebuildable
  /** The target of the rows. */
  pool: OpenInstance['pool']
  /** Wraps the connection that writes. Default: the connection itself. */
  as?: (client: Client) => Client
  /** The last sequence that is already applied. Default: 0. */
  after?: number
  to: number
  report: (error: unknown) => void
  progress?: Progress
}

/** Applies batches, each in a transaction. Unreadable messages are reported and skipped. */
export async function fill(filling: Filling): Promise<void> {
  const { instance, projection, pool, as = client => client, after = 0, to, report, progress } = filling
  const { name, stream, filter } = projection
  const apply = projection.apply(report)
  const write = async (messages: StreamMessage[]) => {
    await parted(messages, {
      write: some => inTransaction(pool, client => apply(as(client) as typeof client, some)),
      skipMessage: async (message, cause) => report(new Unprojectable(name, stream, message, cause)),
    })
    progress?.(messages.at(-1)?.sequence ?? 0, to)
  }
  if (after === 0) await replayAll(instance, { stream, filter, to }, write)
  else await replay(instance.bus, { stream, filter, from: after + 1, to }, write)
}
