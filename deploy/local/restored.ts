/** Whether a data folder came out of a backup: then its projects and keys are those of then, and nothing is fresh. */
import fs from 'node:fs'
import path from 'node:path'

type Restored = {
  /** The moment of the backup, as ISO 8601. */
  at: string
  /** Name of the key that sealed last, until a start has found it; null where that was not known. */
  secretsKey?: string | null
}

const fileIn = (dir: string) => path.join(dir, 'restored.json')

export function noteRestored(dir: string, restored: Restored): void {
  fs.mkdirSync(dir, { recursive: true })
  const fresh = `${fileIn(dir)}.new`
  fs.writeFileSync(fresh, `${JSON.stringify(restored)}\n`, { flush: true })
  fs.renameSync(fresh, fileIn(dir))
}

/** The moment of the backup; null where there was none. */
export const restoredAt = (dir: string): string | null => read(dir)?.at ?? null

/** Name of the key that no start has found yet, and that opens what the backup brought; null where none is missed. */
export const missedKey = (dir: string): string | null => read(dir)?.secretsKey || null

/** From now on keys may be replaced as in any other folder. */
export function noteKeyFound(dir: string): void {
  const at = restoredAt(dir)
  if (at !== null) noteRestored(dir, { at })
}

function read(dir: string): Restored | null {
  try {
    return JSON.parse(fs.readFileSync(fileIn(dir), 'utf8'))
  } catch {
    return null
  }
}
