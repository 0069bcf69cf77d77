/** Logs are bounded: a large one becomes `….log.1`, in place of the previous one. */
import fs from 'node:fs'

const maxLog = 64 * 1024 * 1024

/** Opens for appending. */
export function openLog(file: string): number {
  if (isLarge(file, maxLog)) fs.renameSync(file, `${file}.1`)
  return fs.openSync(file, 'a')
}

/** The same for a log that a process writes to: it keeps its file, and loses lines that are written at this moment. */
export async function turnLog(file: string, largest = maxLog): Promise<void> {
  if (!isLarge(file, largest)) return
  await fs.promises.copyFile(file, `${file}.1`)
  await fs.promises.truncate(file)
}

const isLarge = (file: string, largest: number) =>
  (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largest
