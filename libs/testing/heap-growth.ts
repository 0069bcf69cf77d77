/** Measures what stays in memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Returns the bytes by which the heap has grown after the work and a collection. The result of the work is alive then. */
export function heapGrowth(work: () => unknown): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  const before = process.memoryUsage().heapUsed
  const results = [work()]
  collect()
  const grown = process.memoryUsage().heapUsed - before
  results.length = 0
  return grown
}
