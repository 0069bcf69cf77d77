/**
 * Writes lines to a descriptor in their order, without waiting for them. A full disk costs lines and never the process,
 * and the next line after the repair is written. Pino's own writer throws on a full disk, and waits at the end of the
 * process until there is space.
 */
import fs from 'node:fs'

/** Writes the bytes from `offset` on, like `fs.write`. */
export type WriteBytes = (
  fd: number,
  buffer: Buffer,
  offset: number,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void

export type LineOutput = { write(line: string): void }

/** Characters that may wait for a slow reader or disk. */
const maxWaiting = 1024 ** 2
/** Pause before a pipe that is full is tried again. */
const againMs = 100
const lineFeed = 10

/**
 * Returns the output of a descriptor. Lines that are waiting when the process ends are written then.
 * @param limit number of characters that may wait; lines beyond it are dropped
 */
export function lineOutput(
  fd: number,
  write: WriteBytes = (...args) => fs.write(...args),
  limit = maxWaiting,
): LineOutput {
  let waiting: string[] = []
  let size = 0
  let isWriting = false
  let isCut = false

  const take = () => {
    // A line that was cut by a full disk ends here, so that the next one can be read.
    const batch = Buffer.from(`${isCut ? '\n' : ''}${waiting.join('')}`)
    waiting = []
    size = 0
    return batch
  }
  const begin = () => {
    if (waiting.length === 0) return
    isWriting = true
    send(take(), 0)
  }
  const send = (batch: Buffer, offset: number): void =>
    write(fd, batch, offset, (error, written) => {
      if (isBusy(error)) return void setTimeout(send, againMs, batch, offset)
      const end = error ? offset : offset + written
      if (end > 0) isCut = batch[end - 1] !== lineFeed
      if (!error && end < batch.length) return send(batch, end)
      isWriting = false
      begin()
    })
  process.once('exit', () => {
    if (waiting.length > 0) writeOnce(fd, take())
  })

  return {
    write(line) {
      if (size + line.length > limit) return
      size += line.length
      waiting.push(line)
      if (!isWriting) begin()
    },
  }
}

const isBusy = (error: NodeJS.ErrnoException | null) => error?.code === 'EAGAIN' || error?.code === 'EBUSY'

function writeOnce(fd: number, batch: Buffer): void {
  try {
    fs.writeSync(fd, batch)
  } catch {
    // The process ends, and nothing can be reported without this output.
  }
}
