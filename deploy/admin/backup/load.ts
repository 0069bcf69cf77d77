/**
 * Restores a backup into empty servers. Streams come first and tables last, in one transaction: as long
 * as that is not committed there is no database that anybody could go on with.
 */

import { isClustered } from '@tidemark/bus/leader'
import { storedMessage } from '@tidemark/bus/stored'
import { migrate } from '@tidemark/db/migrate'
import pg from 'pg'
import { databases } from '../../local/entries.ts'
import { replicasFrom, streamSpecs } from '../../nats/streams.ts'
import { AdminError } from '../admin-error.ts'
import type { OpenInstance } from '../open-instance.ts'
import type { Tell } from '../tell.ts'
import { copyIn } from './copy.ts'
import { kept } from './kept-file.ts'
import type { KeptStream, Manifest } from './manifest.ts'
import { migrationsOf, sqlOf, tablesOf } from './schemas.ts'
import { restoreStream } from './stream-snapshots.ts'

type Loading = { folder: string; manifest: Manifest; tell: Tell }

/** Filled by the migrations that make them. */
const filledAtOnce = new Set(['coordinator.shard_lease'])
const deletedAtOnce = 64

/** Throws AdminError that names what lies there already, or what this version knows nothing of. */
export async function refuseData(
  { bus, pool }: Pick<OpenInstance, 'bus' | 'pool'>,
  { migrations, version }: Manifest,
): Promise<void> {
  const descriptions = await databases()
  const schemas = descriptions.map(({ schema }) => schema)
  const found: string[] = []
  for (const { schema, name } of await tablesOf(pool, schemas)) {
    if (filledAtOnce.has(`${schema}.${name}`)) continue
    const { rows } = await pool.query(`select exists (select from ${sqlOf({ schema, name })}) as filled`)
    if (rows[0]?.filled) found.push(`${schema}.${name}`)
  }
  for await (const { config, state } of bus.jsm.streams.list())
    if (state.last_seq > 0) found.push(config.name)
  if (found.length > 0)
    throw new AdminError(`The servers are not empty: ${found.join(', ')}. Restore into empty servers.`)

  const known = new Map(descriptions.map(({ schema, migrations }) => [schema, Object.keys(migrations)]))
  const unknown = Object.entries(migrations).flatMap(([schema, names]) =>
    names.filter(name => !known.get(schema)?.includes(name)).map(name => `${schema} ${name}`),
  )
  if (unknown.length > 0)
    throw new AdminError(
      `The backup is of version ${version}, which this installation does not know: ${unknown.join(', ')}.`,
    )
  const there = Object.entries(await migrationsOf(pool, schemas))
  if (there.some(([schema, names]) => names.some(name => !migrations[schema]?.includes(name))))
    throw new AdminError(
      'The database was prepared by a newer version than that of the backup. Name an empty database.',
    )
}

export async function load(
  { bus, databaseUrl }: Pick<OpenInstance, 'bus' | 'databaseUrl'>,
  { folder, manifest, tell }: Loading,
): Promise<void> {
  for (const stream of manifest.streams) {
    await loadStream(bus, folder, stream)
    tell(`${stream.name}: ${stream.messages} messages, up to ${stream.upTo}`)
  }
  for (const description of await databases()) {
    const ran = manifest.migrations[description.schema] ?? []
    // What this version has beyond that finds the rows there when it runs.
    const migrations = Object.fromEntries(
      Object.entries(description.migrations).filter(([name]) => ran.includes(name)),
    )
    if (Object.keys(migrations).length > 0) await migrate(databaseUrl, { ...description, migrations })
  }
  await loadTables(databaseUrl, folder, manifest)
  tell(`${manifest.tables.length} tables`)
}

async function loadStream(bus: OpenInstance['bus'], folder: string, stream: KeptStream): Promise<void> {
  const { name, upTo, messages } = stream
  // One that was declared and never used.
  await bus.jsm.streams.delete(name).catch(() => false)
  // A single server keeps what a cluster kept, and the other way round.
  const num_replicas = isClustered(bus.nc) ? (replicasFrom(process.env) ?? stream.config.num_replicas) : 1
  const config = { ...stream.config, num_replicas }
  await restoreStream(bus, { ...stream, config }, kept(folder, stream, false))
  const { state } = await bus.jsm.streams.info(name)
  if (state.last_seq < upTo) throw new Error(`${name} came back up to ${state.last_seq}, not to ${upTo}`)
  const later = Array.from({ length: state.last_seq - upTo }, (_, n) => upTo + 1 + n)
  for (let at = 0; at < later.length; at += deletedAtOnce)
    await Promise.all(later.slice(at, at + deletedAtOnce).map(seq => takeOut(bus, name, seq)))
  const left = (await bus.jsm.streams.info(name)).state.messages
  // Others let go of their oldest by themselves.
  if (isWhole(name) && left !== messages)
    throw new Error(`${name} came back with ${left} messages of ${messages}`)
}

/** Whether it is there no more; the sequence stays used. */
async function takeOut(bus: OpenInstance['bus'], name: string, seq: number): Promise<void> {
  try {
    await bus.jsm.streams.deleteMessage(name, seq, false)
  } catch (error) {
    if ((await storedMessage(bus, name, { seq })) !== null) throw error
  }
}

/** Nothing leaves it but what is taken from it by those who wait for a backup. */
const isWhole = (name: string): boolean => {
  const spec = streamSpecs(process.env).find(stream => stream.name === name)
  return spec?.discard === 'new' && name !== 'SERVED'
}

async function loadTables(databaseUrl: string, folder: string, { tables, sequences, migrations }: Manifest) {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'restore' })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(`truncate ${tables.map(sqlOf).join(', ')}`)
    for (const table of tables) {
      const listed = table.columns.map(column => `"${column}"`).join(', ')
      const statement = `copy ${sqlOf(table)} (${listed}) from stdin (format binary)`
      const rows = await copyIn(client, statement, kept(folder, table, true))
      if (rows !== table.rows) throw new Error(`${table.schema}.${table.name}: ${rows} rows of ${table.rows}`)
    }
    for (const { schema, name, last } of sequences)
      if (last !== null)
        await client.query('select setval($1::regclass, $2)', [sqlOf({ schema, name }), last])
    await ageOutboxes(client, Object.keys(migrations))
    await client.query('commit')
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

/** A row that is young trusts the stream's memory of names, which begins anew: one that is old looks it up. */
async function ageOutboxes(client: pg.Client, schemas: string[]): Promise<void> {
  for (const { schema, name } of await tablesOf(client, schemas))
    if (name === 'outbox')
      await client.query(`update "${schema}".outbox set created_at = created_at - interval '1 hour'`)
}
