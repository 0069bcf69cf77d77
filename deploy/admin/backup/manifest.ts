/**
 * The manifest of a backup, `manifest.json`: it is written after all other files are on disk, and lists each with its
 * size and SHA-256. A folder without it is not a backup.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { StreamConfig } from '@nats-io/jetstream'
import { AdminError } from '../admin-error.ts'

export type BackupFile = { file: string; bytes: number; sha256: string }

export type BackupTable = BackupFile & { schema: string; name: string; columns: string[]; rows: number }

export type BackupStream = BackupFile & {
  name: string
  /** The last sequence of the backup. The file may contain later messages. */
  upTo: number
  /** Number of messages up to `upTo`. */
  messages: number
  config: StreamConfig
  state: object
}

export type Manifest = {
  format: number
  version: string
  /** The moment of the backup, as ISO 8601. */
  at: string
  /** Name of the key that encrypted last; null if unknown. */
  secretsKey: string | null
  /** Migrations that had run, by schema. */
  migrations: Record<string, string[]>
  /** Tables in an order that satisfies foreign keys. */
  tables: BackupTable[]
  sequences: { schema: string; name: string; last: string | null }[]
  streams: BackupStream[]
  /** Requested files of the data folder. */
  keys: BackupFile[]
}

export const format = 1
const name = 'manifest.json'

/** Creates the folder if it does not exist. Throws AdminError if it is not empty. */
export async function emptyFolder(folder: string): Promise<void> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await fs.readdir(folder)).length > 0)
    throw new AdminError(`${folder} is not empty. Name an empty or a new folder.`)
}

/** Writes the manifest to disk before it gets its name. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const fresh = path.join(folder, `${name}.new`)
  await fs.writeFile(fresh, `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600, flush: true })
  await fs.rename(fresh, path.join(folder, name))
  const opened = await fs.open(folder, 'r')
  await opened.sync()
  await opened.close()
}

/** Returns the manifest. Throws AdminError for an incomplete backup, or one of a newer version. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await fs.readFile(path.join(folder, name), 'utf8').catch(() => null)
  if (text === null)
    throw new AdminError(`There is no whole backup in ${folder}: ${name}, which is written last, is missing.`)
  const manifest = parsed(text)
  if (manifest === null) throw new AdminError(`${path.join(folder, name)} is damaged. Take another backup.`)
  if (manifest.format > format)
    throw new AdminError(
      `The backup in ${folder} is of a newer version (${manifest.version}). Restore it with that version.`,
    )
  return manifest
}

function parsed(text: string): Manifest | null {
  try {
    const manifest = JSON.parse(text)
    return Number.isInteger(manifest?.format) ? manifest : null
  } catch {
    return null
  }
}

export const filesOf = ({ tables, streams, keys }: Manifest): BackupFile[] => [...tables, ...streams, ...keys]

/** Throws AdminError that names every missing or changed file. */
export async function checkFiles(folder: string, manifest: Manifest): Promise<void> {
  const wrong: string[] = []
  for (const { file, bytes, sha256 } of filesOf(manifest)) {
    const found = await measure(path.join(folder, file)).catch(() => null)
    if (found === null) wrong.push(`${file} is missing`)
    else if (found.bytes !== bytes) wrong.push(`${file} has ${found.bytes} bytes, not ${bytes}`)
    else if (found.sha256 !== sha256) wrong.push(`${file} has another SHA-256 checksum`)
  }
  if (wrong.length > 0) throw new AdminError(`The backup in ${folder} is damaged: ${wrong.join('; ')}.`)
}

async function measure(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 ** 2 })) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}
