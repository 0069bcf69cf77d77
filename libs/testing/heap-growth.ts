/** Measures what stays in memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Returns the bytes that are used after a garbage collection. */
export function usedHeap(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  return process.memoryUsage().heapUsed
}

/**
 * Returns the bytes by which the heap has grown after the work and a garbage collection. The result of the work is
 * still in memory at that time, so it counts.
 */
export function heapGrowth(work: () => unknown): number {
  const before = usedHeap()
  const results = [work()]
  const grown = usedHeap() - before
  results.length = 0
  return grown
}
