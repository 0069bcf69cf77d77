/** Work on a thread that has little memory: what holds more than it may does not come to its end there. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Rejects (`ERR_WORKER_OUT_OF_MEMORY`) where the heap does not do.
 * @param work is handed the modules, and sees nothing that stands around it
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
