/** Reads the checkpoints of all readers that keep one in a table `checkpoint`, in any schema. */
import type { Bus } from '@tidemark/bus/connection'
import type { LastRead } from '@tidemark/bus/loss/lost-end'
import type { Client } from './open-instance.ts'

export type Place = LastRead & {
  schema: string
  projection: string
  partition: string
  stream: string
}

export async function readPlaces(client: Pick<Client, 'query'>): Promise<Place[]> {
  const { rows: tables } = await client.query<{ schema: string }>(
    `select table_schema as schema from information_schema.tables where table_name = 'checkpoint' order by 1`,
  )
  const places: Place[] = []
  for (const { schema } of tables) {
    const { rows } = await client.query(
      // As JSON, because a restored older database may lack these columns.
      `select projection, partition, stream, sequence, to_jsonb(checkpoint) as whole
       from "${schema}".checkpoint order by 1, 2, 3`,
    )
    places.push(...rows.map(({ whole, ...row }) => ({ ...row, ...lastReadOf(whole), schema })))
  }
  return places
}

const lastReadOf = ({ read_to, read_subject }: { read_to?: string; read_subject?: string }) => ({
  readTo: read_to ? new Date(read_to) : null,
  readSubject: read_subject ?? null,
})

/** Returns the sequence that this reader has reached; 0 if it has not begun. */
export const placeOf = (places: readonly Place[], schema: string, projection: string): number =>
  places.find(place => place.schema === schema && place.projection === projection)?.sequence ?? 0

/** Returns the last sequence of every stream by name. */
export async function streamEnds({ jsm }: Bus): Promise<Map<string, number>> {
  const ends = new Map<string, number>()
  for await (const { config, state } of jsm.streams.list()) ends.set(config.name, state.last_seq)
  return ends
}
