/** Whether a data folder comes from a backup: then its projects and keys are older than the folder. */
import fs from 'node:fs'
import path from 'node:path'

type Restored = {
  /** The moment of the backup, as ISO 8601. */
  at: string
  /** Name of the key that sealed last, until a start has found it; null if it was unknown. */
  secretsKey?: string | null
}

const fileIn = (dir: string) => path.join(dir, 'restored.json')

export function noteRestored(dir: string, restored: Restored): void {
  fs.mkdirSync(dir, { recursive: true })
  const fresh = `${fileIn(dir)}.new`
  fs.writeFileSync(fresh, `${JSON.stringify(restored)}\n`, { flush: true })
  fs.renameSync(fresh, fileIn(dir))
}

/** Time of the backup; null without one. */
export const restoredAt = (dir: string): string | null => read(dir)?.at ?? null

/** Name of the key that opens the restored secrets and that no start has found yet; null if none is missing. */
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
