/** Writes files that must survive a power failure, such as keys, and reads JSON files. */
import fs from 'node:fs'
import path from 'node:path'

/** Replaces the file atomically, with mode 600: every reader finds the new text or the previous one, even after a power failure. */
export function writeDurably(file: string, text: string): void {
  const fresh = `${file}.new`
  fs.rmSync(fresh, { force: true })
  fs.writeFileSync(fresh, text, { mode: 0o600, flush: true })
  fs.renameSync(fresh, file)
  const folder = fs.openSync(path.dirname(file), 'r')
  fs.fsyncSync(folder)
  fs.closeSync(folder)
}

/** Returns the value of a JSON file; null if the file is missing or damaged. */
export function readJson<Value>(file: string): Value | null {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
