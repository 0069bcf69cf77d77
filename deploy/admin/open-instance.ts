/** The running instance as the larger commands need it: its bus and its database, found through `run.json`. */
import type { Bus } from '@tidemark/bus/connection'
import { type Database, openDatabase } from '@tidemark/db/database'
import { AdminError } from '../local/admin-error.ts'
import { reachInstance } from '../local/admin-instance.ts'
import { readRunFile } from '../local/run-file.ts'

export type OpenInstance = {
  bus: Bus
  pool: Database['pool']
  databaseUrl: string
  [Symbol.asyncDispose](): Promise<void>
}

/** A transaction's connection. */
export type Client = Parameters<Parameters<Database['transaction']>[0]>[0]

/** Connects to the instance of this folder. Throws AdminError when none runs there. */
export async function openInstance(dir: string): Promise<OpenInstance> {
  const bus = await reachInstance(dir)
  const databaseUrl = readRunFile(dir)?.postgres.url
  if (databaseUrl === undefined) {
    await bus.close()
    throw new AdminError(`The instance in ${dir} has just stopped.`)
  }
  const database = await openPool(databaseUrl)
  return {
    bus,
    pool: database.pool,
    databaseUrl,
    async [Symbol.asyncDispose]() {
      await Promise.all([database.close(), bus.close()])
    },
  }
}

/** Plain statements over whatever schemas are there, however long they take: they go through whole tables. */
export const openPool = (url: string): Promise<Database> =>
  openDatabase(
    url,
    { schema: 'public', entities: [], migrations: [] },
    { poolSize: 3, name: 'admin', statementMs: 0 },
  )
