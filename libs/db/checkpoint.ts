/**
 * The table `checkpoint`: the position of each projection in its stream. The position moves in the transaction that
 * writes the projected rows, and only from the position that the writer expects. Every message therefore counts once,
 * even with concurrent writers.
 */
import pg, { type Pool, type PoolClient } from 'pg'

export type CheckpointKey = { schema: string; projection: string; partition: string; stream: string }

/** The message that was projected last: its time and its subject; null while unknown. */
export type LastRead = { readTo: Date | null; readSubject: string | null }

/** Returns the table's DDL, for a migration of the projecting schema. */
export const checkpointTable = (schema: string): string =>
  `create table if not exists ${table(schema)} (
    projection text not null,
    partition text not null,
    stream text not null,
    sequence bigint not null,
    primary key (projection, partition, stream)
  ) with (fillfactor = 50)`

/** Returns the DDL of the columns that a later migration adds. They detect a stream that lost its end. */
export const checkpointTimes = (schema: string): string =>
  `alter table ${table(schema)}
   add column if not exists read_to timestamptz,
   add column if not exists read_subject text`

/** Returns the last projected sequence, 0 at the beginning. Creates the row if it is missing. */
export const readCheckpoint = async (pool: Pool, key: CheckpointKey): Promise<number> =>
  (await readPosition(pool, key)).sequence

/** Reads like `readCheckpoint`, and also returns the time and subject of the last projected message. */
export async function readPosition(
  pool: Pool,
  { schema, projection, partition, stream }: CheckpointKey,
): Promise<{ sequence: number; after: LastRead }> {
  const { rows } = await pool.query(
    `with made as (
       insert into ${table(schema)} (projection, partition, stream, sequence) values ($1, $2, $3, 0)
       on conflict do nothing returning sequence, read_to, read_subject
     )
     select * from made
     union all
     select sequence, read_to, read_subject from ${table(schema)}
     where projection = $1 and partition = $2 and stream = $3`,
    [projection, partition, stream],
  )
  const [{ sequence = 0, read_to = null, read_subject = null } = {}] = rows
  return { sequence: Number(sequence), after: { readTo: read_to, readSubject: read_subject } }
}

/**
 * Moves the checkpoint. Returns false if it is not at `from`, because another process has moved it.
 * @param last the message at `to`
 */
export async function moveCheckpoint(
  client: Pick<PoolClient, 'query'>,
  key: CheckpointKey,
  from: number,
  to: number,
  last?: { time: Date; subject: string },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `update ${table(key.schema)} set sequence = $5, read_to = $6, read_subject = $7
     where projection = $1 and partition = $2 and stream = $3 and sequence = $4`,
    [key.projection, key.partition, key.stream, from, to, last?.time ?? null, last?.subject ?? null],
  )
  return rowCount === 1
}

const table = (schema: string) => `${pg.escapeIdentifier(schema)}.checkpoint`
