/**
 * The generated sites' own thread: when a request came is read here, where nothing else keeps the clock waiting.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { serveSite } from './web.ts'

const { origins } = await serveSite(workerData.site, workerData.net, (place, at) => {
  parentPort?.postMessage({ type: 'hit', place, at })
})
parentPort?.postMessage({ type: 'listening', origins })
