/**
 * Preloaded into each process of a soak: on SIGUSR2 it collects its garbage at once and writes down how many bytes of its
 * heap are alive then. That shows growth within minutes; what the system has lent a process says little for hours, and
 * buffers of what is under way come and go by tens of megabytes.
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
