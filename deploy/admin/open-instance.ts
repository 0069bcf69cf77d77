/** Opens the bus and the database of an instance for commands that need both. */
import { type Bus, openBus } from '@tidemark/bus/connection'
import { type Database, openDatabase } from '@tidemark/db/database'
import { reachInstance, type Servers, serversOf } from './reach-instance.ts'

export type OpenInstance = {
  bus: Bus
  pool: Database['pool']
  databaseUrl: string
  [Symbol.asyncDispose](): Promise<void>
}

/** The connection of a transaction. */
export type Client = Parameters<Parameters<Database['transaction']>[0]>[0]

/** Connects to the instance that the environment names, or to that of this folder. Throws AdminError without one. */
export async function openInstance(dir: string): Promise<OpenInstance> {
  const { databaseUrl } = serversOf(dir)
  return open(await reachInstance(dir), databaseUrl)
}

/** Connects to servers without a running instance. */
export const openServers = async ({ natsUrl, databaseUrl }: Servers): Promise<OpenInstance> =>
  open(await openBus({ url: natsUrl, name: 'admin' }), databaseUrl)

async function open(bus: Bus, databaseUrl: string): Promise<OpenInstance> {
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

/** `verify` holds three connections (its lock, its snapshot and its temporary table) and uses a further one. */
const poolSize = 4

/** Opens a pool for plain statements on any schema. They have no time limit, because they scan whole tables. */
export const openPool = (url: string): Promise<Database> =>
  openDatabase(
    url,
    { schema: 'public', entities: [], migrations: {} },
    { poolSize, name: 'admin', statementMs: 0 },
  )
