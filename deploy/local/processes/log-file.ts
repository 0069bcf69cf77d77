/** Bounds the size of log files: a large one becomes `….log.1`, in place of the previous one. */
import fs from 'node:fs'

const maxLog = 64 * 1024 * 1024

/** Opens a log for appending, and returns its file descriptor. */
export function openLog(file: string): number {
  if (isLarge(file, maxLog)) fs.renameSync(file, `${file}.1`)
  return fs.openSync(file, 'a')
}

/**
 * Copies a large log that a process still writes to, and empties it. Lines that are written at this moment are lost.
 */
export async function rotateLog(file: string, maxBytes = maxLog): Promise<void> {
  if (!isLarge(file, maxBytes)) return
  await fs.promises.copyFile(file, `${file}.1`)
  await fs.promises.truncate(file)
}

const isLarge = (file: string, maxBytes: number) =>
  (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes
