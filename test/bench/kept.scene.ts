/** The stored data of a system: the sizes of its streams and tables. */
import { jetstreamManager } from '@nats-io/jetstream'
import { openBus } from '@tidemark/bus/connection'
import pg from 'pg'
import type { RunFile } from '../e2e/system.ts'

/** Returns the streams of at least 1 MB. */
export async function streamsOf({ nats }: RunFile) {
  const bus = await openBus({ url: nats.url, name: 'large' })
  try {
    const streams = await (await jetstreamManager(bus.nc)).streams.list().next()
    return streams
      .filter(({ state }) => state.bytes > 1e6)
      .map(({ config, state }) => ({
        name: config.name,
        messages: state.messages,
        MB: megabytes(state.bytes),
      }))
  } finally {
    await bus.close()
  }
}

/** Returns the tables above 5 MB with their indexes and TOAST data, largest first. */
export async function tablesOf({ postgres }: RunFile) {
  const client = new pg.Client(postgres.url)
  await client.connect()
  const { rows } = await client.query(
    `select schemaname || '.' || relname as name, n_live_tup::integer as rows,
       round(pg_total_relation_size(relid) / 1e6)::integer as "MB"
     from pg_stat_user_tables where pg_total_relation_size(relid) > 5e6 order by 3 desc`,
  )
  await client.end()
  return rows
}

export function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6)
}
