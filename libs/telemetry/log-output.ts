/**
 * Writes lines to a descriptor in their order. A full disk costs lines and never the process, and the next line after
 * the repair is written. Pino's own writer throws on a full disk, and waits at the end of the process until there is
 * space.
 *
 * Each line is written before `write` returns, because the end of the process could reverse or lose writes that are in
 * the thread pool. Lines wait only for a full pipe.
 */
import fs from 'node:fs'

/** Writes the bytes from `offset` on and returns their number, like `fs.writeSync`. */
export type WriteBytes = (fd: number, buffer: Buffer, offset: number) => number

export type LineOutput = { write(line: string): void }

/** Characters that may wait for a slow reader. */
const maxWaiting = 1024 ** 2
/** Pause before a pipe that is full is tried again. It does not keep the process alive, whose end writes the rest. */
const againMs = 10
/** Time for the waiting lines at the end of the process. */
const maxEndMs = 1_000
const lineFeed = 10
const nothing = Buffer.alloc(0)

/**
 * Returns the output of a descriptor. Lines that are waiting when the process ends are written then, for up to a second.
 * @param limit number of characters that may wait; lines beyond it are dropped
 */
export function lineOutput(fd: number, write: WriteBytes = fs.writeSync, limit = maxWaiting): LineOutput {
  let waiting: string[] = []
  let size = 0
  let isCut = false
  /** The bytes that are written next, from `offset` on. It is empty while no line waits. */
  let batch = nothing
  let offset = 0

  const take = (text: string) => {
    // A line that was cut by a full disk ends here, so that the next one can be read.
    batch = Buffer.from(isCut ? `\n${text}` : text)
    offset = 0
  }
  const takeWaiting = () => {
    take(waiting.join(''))
    waiting = []
    size = 0
  }
  /** Writes the batch and returns false if the pipe is full. Other errors drop the rest of the batch. */
  const send = (): boolean => {
    try {
      while (offset < batch.length) {
        offset += write(fd, batch, offset)
        isCut = batch[offset - 1] !== lineFeed
      }
    } catch (error) {
      if (isBusy(error)) return false
    }
    batch = nothing
    return true
  }
  /** Writes all waiting lines and returns false if the pipe is full. */
  const sendAll = (): boolean => {
    while (send()) {
      if (waiting.length === 0) return true
      takeWaiting()
    }
    return false
  }
  const again = () => {
    if (!sendAll()) setTimeout(again, againMs).unref()
  }
  process.once('exit', () => {
    const end = performance.now() + maxEndMs
    while (!sendAll() && performance.now() < end) pause(againMs)
  })

  return {
    write(line) {
      if (batch.length > 0) {
        if (size + line.length > limit) return
        size += line.length
        waiting.push(line)
        return
      }
      take(line)
      if (!send()) setTimeout(again, againMs).unref()
    },
  }
}

/**
 * Returns a descriptor for the same pipe that fails with EAGAIN while the pipe is full, so that a reader that stops does
 * not block the process. Other processes keep their mode. Returns other descriptors as they are.
 */
export function withoutBlocking(fd: number): number {
  try {
    if (!fs.fstatSync(fd).isFIFO()) return fd
    return fs.openSync(`/proc/self/fd/${fd}`, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK)
  } catch {
    return fd
  }
}

const isBusy = (error: unknown) => {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EAGAIN' || code === 'EBUSY'
}

/** Blocks the thread, because timers do not fire at the end of the process. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
