/**
 * The vectors of an export until its end. They are stored together with their bill, so a killed process neither
 * requests nor bills a stored text again.
 */
import type { Database } from '@tidemark/db/database'
import { bufferOf } from '../../domain/buffer-of.ts'
import type { Embedded } from '../../domain/exports/embedding-bill.ts'
import type { ExportJob } from '../../domain/exports/export-job.ts'
import { enqueueBill } from '../jobs.ts'
import { change } from './leases.ts'

/** A vector by the SHA-256 of its text. */
export type StoredVector = { hash: Buffer; vector: Float32Array }

type Held = Pick<ExportJob, 'id' | 'lease' | 'projectId'>

export type Vectors = {
  /** Returns the stored vectors of these texts. */
  find(held: Pick<Held, 'id'>, hashes: readonly Buffer[]): Promise<StoredVector[]>
  /**
   * Stores vectors, the sums of the export so far, and the commit for SERVED. Vectors are progress, so the counters of
   * starts and outages are reset. Rejects with `LeaseLost`.
   */
  store(held: Held, vectors: readonly StoredVector[], sums: Embedded, bill: object): Promise<void>
}

export const vectorsIn = ({ pool, transaction }: Pick<Database, 'pool' | 'transaction'>): Vectors => ({
  async find({ id }, hashes) {
    if (hashes.length === 0) return []
    const { rows } = await pool.query<{ text_hash: Buffer; vector: Buffer }>(
      'select text_hash, vector from content.export_vector where export_id = $1 and text_hash = any($2::bytea[])',
      [id, hashes],
    )
    return rows.map(({ text_hash, vector }) => ({ hash: text_hash, vector: vectorOf(vector) }))
  },

  store: (held, vectors, sums, bill) =>
    transaction(async client => {
      await change(client, held, 'embeddings = $3, attempts = 0, failures = 0', [sums])
      await client.query(
        `insert into content.export_vector (export_id, text_hash, vector)
         select $1, * from unnest($2::bytea[], $3::bytea[]) on conflict do nothing`,
        [held.id, vectors.map(({ hash }) => hash), vectors.map(({ vector }) => bufferOf(vector))],
      )
      await enqueueBill(client, held.projectId, bill)
    }),
})

/** Copies the bytes, because a view of them may begin between two numbers. */
const vectorOf = (bytes: Buffer): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer)
