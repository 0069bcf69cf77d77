/** Records that a data folder comes from a backup. Its projects and keys are then older than the folder. */
import fs from 'node:fs'
import path from 'node:path'
import { readJson, writeDurably } from './durable-file.ts'

type Restored = {
  /** The moment of the backup, as ISO 8601. */
  at: string
  /** Name of the key that sealed last, until a start has found it; null if it was unknown. */
  secretsKey?: string | null
}

const fileIn = (dir: string) => path.join(dir, 'restored.json')

export function recordRestored(dir: string, restored: Restored): void {
  fs.mkdirSync(dir, { recursive: true })
  writeDurably(fileIn(dir), `${JSON.stringify(restored)}\n`)
}

/** Returns the time of the backup; null: the folder is not from a backup. */
export const restoredAt = (dir: string): string | null => read(dir)?.at ?? null

/** Returns the name of the key that opens the restored secrets, until a start has found it; null: none is missing. */
export const missingKey = (dir: string): string | null => read(dir)?.secretsKey || null

/** Records that the key of the backup was found. From now on it may be replaced. */
export function recordKeyFound(dir: string): void {
  const at = restoredAt(dir)
  if (at !== null) recordRestored(dir, { at })
}

const read = (dir: string): Restored | null => readJson(fileIn(dir))
