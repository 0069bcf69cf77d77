/** Whether a data folder came out of a backup: then its projects and keys are those of then, and nothing is fresh. */
import fs from 'node:fs'
import path from 'node:path'

const fileIn = (dir: string) => path.join(dir, 'restored.json')

/** @param at the moment of the backup, as ISO 8601 */
export function noteRestored(dir: string, at: string): void {
  fs.mkdirSync(dir, { recursive: true })
  fs.writeFileSync(fileIn(dir), `${JSON.stringify({ at })}\n`)
}

/** The moment of the backup; null where there was none. */
export function restoredAt(dir: string): string | null {
  try {
    return JSON.parse(fs.readFileSync(fileIn(dir), 'utf8')).at
  } catch {
    return null
  }
}
