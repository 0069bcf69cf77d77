/** Runs work on a thread with little memory, so that excessive memory use fails. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Runs the work. Rejects (`ERR_WORKER_OUT_OF_MEMORY`) if the heap is insufficient.
 * @param work receives the modules, and has no access to its closure
 */
export async function inSmallHeap<Modules extends object[], Result>(
  megabytes: number,
  work: (...modules: Modules) => Result,
  ...modules: URL[]
): Promise<Result> {
  const code = `const { parentPort, workerData } = require('node:worker_threads')
    Promise.all(workerData.map(url => import(url))).then(all => parentPort.postMessage((${work})(...all)))`
  const worker = new Worker(code, {
    eval: true,
    workerData: modules.map(String),
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  })
  const [result] = await once(worker, 'message')
  return result
}
