/** Reads the bytes of an export's parts, slice by slice. */
import type { Pool } from 'pg'

/** A range of one part: `from` counts from 0. */
export type Slice = { exportId: number; part: number; from: number; bytes: number }

const slice = `select substring(data from $3 for $4) as slice from content.export_part where export_id = $1 and number = $2`

/** Returns null if the part was removed. Rejects with the errors of `pg`. */
export async function readSlice(
  pool: Pick<Pool, 'query'>,
  { exportId, part, from, bytes }: Slice,
): Promise<Buffer | null> {
  const { rows } = await pool.query<{ slice: Buffer | null }>({
    name: 'export-slice',
    text: slice,
    values: [exportId, part, from + 1, bytes],
  })
  return rows[0]?.slice ?? null
}
