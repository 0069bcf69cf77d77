/**
 * The content store in a separate database, with bodies in their rows or in an object store. Both must pass the same
 * tests.
 */
import type { ObjectStore } from '@tidemark/testing/object-store'
import { freshDatabase } from '@tidemark/testing/servers'
import pg from 'pg'
import type { Test } from 'tap'
import { archiveTables } from './archive.ts'
import { objectTables } from './object-tables.ts'
import type { Objects } from './objects.ts'
import { pictureTables } from './pictures.ts'
import { openBucket } from './s3.ts'
import { scanTables } from './scans/tables.ts'
import type { BucketConfig } from './settings.ts'
import { openContent } from './store.ts'
import { sweepContent, sweepingTables } from './sweeping.ts'
import { contentTables, headerTables, revisitTables, timeStampTables } from './tables.ts'
import type { Transaction } from './transaction.ts'

export type Kept = 'in rows' | 'in objects'
export const keepings: readonly Kept[] = ['in rows', 'in objects']

export const bucketOf = ({ env }: ObjectStore, timeoutMs = 10_000): BucketConfig => ({
  endpoint: env.S3_ENDPOINT,
  bucket: env.S3_BUCKET,
  region: env.S3_REGION,
  accessKeyId: env.S3_ACCESS_KEY_ID,
  secretAccessKey: env.S3_SECRET_ACCESS_KEY,
  isPathStyle: true,
  timeoutMs,
})

const never = new AbortController().signal

/**
 * Creates a content store.
 * @param store Object store for bodies. Without it, bodies are stored in the rows of the database.
 */
export async function surroundings(t: Test, store: ObjectStore | null = null) {
  const database = await freshDatabase()
  const pool = new pg.Pool({ connectionString: database.url, max: 6 })
  pool.on('error', () => {}) // a connection that is still closing when the database is dropped
  const objects = store === null ? undefined : openBucket(bucketOf(store))
  t.teardown(async () => {
    objects?.close()
    await pool.end()
    await database.drop()
  })
  const statements = [
    'create schema content',
    ...contentTables,
    ...sweepingTables,
    ...pictureTables,
    ...archiveTables,
    ...revisitTables,
    ...objectTables,
    ...headerTables,
    ...scanTables,
    ...timeStampTables,
  ]
  for (const statement of statements) await pool.query(statement)
  const transaction = transactionIn(pool)
  const open = (client: Pick<pg.Pool, 'query'> = pool, within: Transaction = transaction, to?: Objects) => {
    const into = to ?? objects
    return openContent(client, into && { objects: into, transaction: within })
  }
  return {
    pool,
    open,
    content: open(),
    transaction,
    objects,
    sweep: (within: Transaction = transaction) => sweepContent(within, never, objects),
    count: async (what: string) =>
      Number((await pool.query(`select count(*) from content.${what}`)).rows[0].count),
    /**
     * Returns the names of objects: `held` are the names in rows of bodies, `announced` the names that are announced or
     * marked for deletion.
     */
    named: async () => {
      const { rows } = await pool.query<{ name: string; held: boolean }>(
        `select object as name, true as held from content.body where object is not null
         union all select name, false from content.object`,
      )
      const namesOf = (wanted: boolean) =>
        rows.flatMap(({ name, held }) => (held === wanted ? name : [])).sort()
      return { held: namesOf(true), announced: namesOf(false) }
    },
  }
}

const transactionIn =
  (pool: pg.Pool): Transaction =>
  async work => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const result = await work(client)
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }

/** Resolves when a transaction waits for the lock of bodies. */
export async function untilWaiting(pool: pg.Pool): Promise<void> {
  for (let left = 500; left > 0; left--) {
    const { rows } = await pool.query(
      `select from pg_locks where locktype = 'advisory' and not granted
       and database = (select oid from pg_database where datname = current_database())`,
    )
    if (rows.length > 0) return
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  throw new Error('No transaction waits.')
}
