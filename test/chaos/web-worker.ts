/** The generated sites in a thread of their own, so that no other work delays the recorded times of requests. */
import { parentPort, workerData } from 'node:worker_threads'
import { serveSite } from './web.ts'

const { origins } = await serveSite(workerData.site, workerData.net, (place, at, lateMs) => {
  parentPort?.postMessage({ type: 'hit', place, at, lateMs })
})
parentPort?.postMessage({ type: 'listening', origins })
