/**
 * Preloaded into each process of a soak. On SIGUSR2 it collects garbage and writes the live bytes of the heap to a
 * file. Live bytes show growth within minutes. Resident memory shows little for hours, and buffers of current work vary
 * by tens of megabytes.
 */
import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const { SOAK_ALIVE: folder } = process.env

if (isMainThread && folder) {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  process.on('SIGUSR2', () => {
    collect()
    writeFileSync(`${folder}/${process.pid}`, String(process.memoryUsage().heapUsed))
  })
}
