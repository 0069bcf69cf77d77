/** Reads the checkpoints of all readers that keep one in a table `checkpoint`, in any schema. */
import type { Bus } from '@tidemark/bus/connection'
import type { LastRead } from '@tidemark/bus/loss/lost-end'
import type { Client } from './open-instance.ts'

export type ReaderPosition = LastRead & {
  schema: string
  projection: string
  partition: string
  stream: string
}

export async function readPositions(client: Pick<Client, 'query'>): Promise<ReaderPosition[]> {
  const { rows: tables } = await client.query<{ schema: string }>(
    `select table_schema as schema from information_schema.tables where table_name = 'checkpoint' order by 1`,
  )
  const positions: ReaderPosition[] = []
  for (const { schema } of tables) {
    const { rows } = await client.query(
      // As JSON, because a restored older database may lack these columns.
      `select projection, partition, stream, sequence, to_jsonb(checkpoint) as whole
       from "${schema}".checkpoint order by 1, 2, 3`,
    )
    positions.push(...rows.map(({ whole, ...row }) => ({ ...row, ...lastReadOf(whole), schema })))
  }
  return positions
}

const lastReadOf = ({ read_to, read_subject }: { read_to?: string; read_subject?: string }) => ({
  readTo: read_to ? new Date(read_to) : null,
  readSubject: read_subject ?? null,
})

/** Returns the sequence that the reader of this schema and projection has reached; 0: it has not begun. */
export const positionOf = (
  positions: readonly ReaderPosition[],
  schema: string,
  projection: string,
): number =>
  positions.find(position => position.schema === schema && position.projection === projection)?.sequence ?? 0

/** Returns the last sequence of every stream by name. */
export async function streamEnds({ jsm }: Bus): Promise<Map<string, number>> {
  const ends = new Map<string, number>()
  for await (const { config, state } of jsm.streams.list()) ends.set(config.name, state.last_seq)
  return ends
}
