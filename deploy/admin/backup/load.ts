/**
 * Restores a backup into empty servers. Streams come first and tables last, in one transaction: until it is
 * committed, no instance can start from the database.
 */

import { isClustered } from '@tidemark/bus/leader'
import { storedMessage } from '@tidemark/bus/stored'
import { streams } from '@tidemark/contracts/subjects'
import { migrate } from '@tidemark/db/migrate'
import pg from 'pg'
import { databases } from '../../local/entries.ts'
import { replicasFrom, streamSpecs } from '../../nats/streams.ts'
import { AdminError } from '../admin-error.ts'
import type { OpenInstance } from '../open-instance.ts'
import type { Print } from '../print.ts'
import { readBackupFile } from './backup-file.ts'
import { copyIn } from './copy.ts'
import type { BackupStream, Manifest } from './manifest.ts'
import { migrationsOf, sqlOf, tablesOf } from './schemas.ts'
import { restoreStream } from './stream-snapshots.ts'

type Loading = { folder: string; manifest: Manifest; print: Print }

/** Streams whose deleted subjects the extractor purges during a backup too. */
const sweptStreams: ReadonlySet<string> = new Set([streams.exports, streams.batches])
/** Tables that their migrations fill. */
const filledAtOnce = new Set(['coordinator.shard_lease'])
const deletedAtOnce = 64

/** Throws AdminError that names the migrations of the backup that this version does not know. */
export async function refuseUnknown({ migrations, version }: Manifest): Promise<void> {
  const known = new Map(
    (await databases()).map(({ schema, migrations }) => [schema, Object.keys(migrations)]),
  )
  const unknown = Object.entries(migrations).flatMap(([schema, names]) =>
    names.filter(name => !known.get(schema)?.includes(name)).map(name => `${schema} ${name}`),
  )
  if (unknown.length > 0)
    throw new AdminError(
      `The backup is of version ${version}, which this installation does not know: ${unknown.join(', ')}.`,
    )
}

/** Throws AdminError that names existing data, or if the database has later migrations than the backup. */
export async function refuseData(
  { bus, pool }: Pick<OpenInstance, 'bus' | 'pool'>,
  { migrations }: Manifest,
): Promise<void> {
  const schemas = (await databases()).map(({ schema }) => schema)
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
  const there = Object.entries(await migrationsOf(pool, schemas))
  if (there.some(([schema, names]) => names.some(name => !migrations[schema]?.includes(name))))
    throw new AdminError(
      'The database was prepared by a newer version than that of the backup. Name an empty database.',
    )
}

export async function load(
  { bus, databaseUrl }: Pick<OpenInstance, 'bus' | 'databaseUrl'>,
  { folder, manifest, print }: Loading,
): Promise<void> {
  for (const stream of manifest.streams) {
    await loadStream(bus, folder, stream)
    print(`${stream.name}: ${stream.messages} messages, up to ${stream.upTo}`)
  }
  for (const description of await databases()) {
    const ran = manifest.migrations[description.schema] ?? []
    const migrations = Object.fromEntries(
      Object.entries(description.migrations).filter(([name]) => ran.includes(name)),
    )
    if (Object.keys(migrations).length > 0) await migrate(databaseUrl, { ...description, migrations })
  }
  await loadTables(databaseUrl, folder, manifest)
  print(`${manifest.tables.length} tables`)
  // Migrations after the backup change the restored rows, as an update would have.
  for (const description of await databases()) await migrate(databaseUrl, description)
}

async function loadStream(bus: OpenInstance['bus'], folder: string, stream: BackupStream): Promise<void> {
  const { name, upTo, messages } = stream
  // An empty stream may have been declared already.
  await bus.jsm.streams.delete(name).catch(() => false)
  // A backup of a cluster can be restored into a single server, and the reverse.
  const num_replicas = isClustered(bus.nc) ? (replicasFrom(process.env) ?? stream.config.num_replicas) : 1
  const config = { ...stream.config, num_replicas }
  await restoreStream(bus, { ...stream, config }, readBackupFile(folder, stream, false))
  const { state } = await bus.jsm.streams.info(name)
  if (state.last_seq < upTo) throw new Error(`${name} came back up to ${state.last_seq}, not to ${upTo}`)
  const later = Array.from({ length: state.last_seq - upTo }, (_, n) => upTo + 1 + n)
  for (let at = 0; at < later.length; at += deletedAtOnce)
    await Promise.all(later.slice(at, at + deletedAtOnce).map(seq => deleteMessage(bus, name, seq)))
  const left = (await bus.jsm.streams.info(name)).state.messages
  // Other streams drop their oldest messages. A sweep may have purged some after the moment, before they were packed.
  if (isWhole(name) && (sweptStreams.has(name) ? left > messages : left !== messages))
    throw new Error(`${name} came back with ${left} messages of ${messages}`)
}

/** Deletes a message. Its sequence is not assigned again. */
async function deleteMessage(bus: OpenInstance['bus'], name: string, seq: number): Promise<void> {
  try {
    await bus.jsm.streams.deleteMessage(name, seq, false)
  } catch (error) {
    if ((await storedMessage(bus, name, { seq })) !== null) throw error
  }
}

/** Returns whether the stream drops no messages by itself. Archiving and purging do not run during a backup. */
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
      const rows = await copyIn(client, statement, readBackupFile(folder, table, true))
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

/**
 * Makes rows of outboxes one hour older. A young row relies on the stream's deduplication window, which is empty after
 * a restore. For an old row the outbox looks the message up in the stream.
 */
async function ageOutboxes(client: pg.Client, schemas: string[]): Promise<void> {
  for (const { schema, name } of await tablesOf(client, schemas))
    if (name === 'outbox')
      await client.query(`update "${schema}".outbox set created_at = created_at - interval '1 hour'`)
}
