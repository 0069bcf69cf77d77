/** Writes a backup: tables as of the moment, streams that are not work queues as they are packed, and last the manifest. */

import { createReadStream } from 'node:fs'
import path from 'node:path'
import { version } from '@tidemark/contracts/version'
import { databases } from '../../local/entries.ts'
import { streamSpecs } from '../../nats/streams.ts'
import type { OpenInstance } from '../open-instance.ts'
import type { Print } from '../print.ts'
import { writeBackupFile } from './backup-file.ts'
import { CopyOut } from './copy.ts'
import { packAlone, stopRebuilds, stopSweeps } from './locks.ts'
import { type BackupStream, type BackupTable, format, type Manifest, writeManifest } from './manifest.ts'
import { type Moment, takeMoment } from './moment.ts'
import { sqlOf } from './schemas.ts'
import { snapshotOf } from './stream-snapshots.ts'

type Saving = {
  /** The data folder of the instance. */
  dir: string
  /** The folder of the backup. */
  folder: string
  /** Files of the data folder that are included. */
  keys: readonly string[]
  /** Name of the key that encrypts secrets; null if it is unknown. */
  secretsKey: string | null
  print: Print
}

export async function save(
  instance: OpenInstance,
  saving: Saving,
): Promise<{ manifest: Manifest; heldMs: number; bodiesInS3: number }> {
  const { dir, folder, secretsKey, print } = saving
  const schemas = (await databases()).map(({ schema }) => schema)
  const truth = streamSpecs(process.env).filter(({ retention }) => retention === 'limits')
  await using _rebuilds = await stopRebuilds(instance)
  await using packs = await packAlone(instance)
  await using sweeps = await stopSweeps(instance)
  const moment = await takeMoment(
    instance,
    schemas,
    truth.map(({ name }) => name),
  )
  const { at, heldMs, client, migrations, sequences } = moment
  print(`The moment is ${at}; writers waited ${heldMs} ms for it.`)
  try {
    // Streams are packed meanwhile, because a stream that is packed soon contains few later messages.
    const packing = saveStreams(instance, folder, moment).then(async streams => {
      await Promise.all([sweeps[Symbol.asyncDispose](), packs[Symbol.asyncDispose]()])
      return streams
    })
    const [streams, tables] = await Promise.all([packing, saveTables(folder, moment)])
    const keys = await Promise.all(
      saving.keys.map(name =>
        writeBackupFile(folder, `keys/${name}`, createReadStream(path.join(dir, name)), false),
      ),
    )
    const about = { format, version, at, secretsKey }
    const manifest = { ...about, migrations, tables, sequences, streams, keys }
    await writeManifest(folder, manifest)
    const bodiesInS3 = await countBodiesInS3(client)
    if (bodiesInS3 > 0)
      print(
        `${bodiesInS3} bodies are in S3 and not in the backup. Configure the bucket to retain deleted objects.`,
      )
    return { manifest, heldMs, bodiesInS3 }
  } finally {
    await client.end()
  }
}

/** Returns the number of bodies in S3 as of the moment. */
async function countBodiesInS3(client: Moment['client']): Promise<number> {
  const { rows } = await client.query<{ bodies: number }>(
    'select count(*)::int as bodies from content.body where object is not null',
  )
  return rows[0]?.bodies ?? 0
}

async function saveTables(folder: string, { client, tables }: Moment): Promise<BackupTable[]> {
  const saved: BackupTable[] = []
  for (const { schema, name, columns } of tables) {
    const listed = columns.map(column => `"${column}"`).join(', ')
    const copied = new CopyOut(`copy ${sqlOf({ schema, name })} (${listed}) to stdout (format binary)`)
    client.query(copied)
    const file = await writeBackupFile(folder, `tables/${schema}.${name}.zst`, copied, true)
    saved.push({ schema, name, columns, rows: copied.rows, ...file })
  }
  return saved
}

function saveStreams({ bus }: OpenInstance, folder: string, { ends }: Moment): Promise<BackupStream[]> {
  return Promise.all(
    [...ends].map(async ([name, end]) => {
      const { config, state, pieces } = await snapshotOf(bus, name)
      // The server has compressed it.
      const file = await writeBackupFile(folder, `streams/${name}.s2`, pieces, false)
      return { name, ...end, config, state, ...file }
    }),
  )
}
