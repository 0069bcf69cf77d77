/** Reads the bytes of an export's parts, slice by slice. */
import type { OfProject } from '@tidemark/db/of-project'

/** A range of one part: `from` counts from 0. */
export type Slice = { projectId: number; exportId: number; part: number; from: number; bytes: number }

/** Returns null if the part was removed. */
export type ReadSlice = (slice: Slice) => Promise<Buffer | null>

/** The column is stored uncompressed, so that a slice costs only its own size. */
const slice = `select substring(data from $3 for $4) as slice from content.export_part where export_id = $1 and number = $2`

export const openFileReads =
  (reads: OfProject): ReadSlice =>
  async ({ projectId, exportId, part, from, bytes }) => {
    const { rows } = await reads(projectId).query<{ slice: Buffer }>({
      name: 'export-slice',
      text: slice,
      values: [exportId, part, from + 1, bytes],
    })
    return rows[0]?.slice ?? null
  }
