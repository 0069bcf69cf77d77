/** The thread that reads large pages, one at a time. */
import { parentPort } from 'node:worker_threads'
import { type LargePageRequest, readLarge } from '../handlers/read-large.ts'

parentPort?.on('message', (request: LargePageRequest) => parentPort?.postMessage(readLarge(request)))
parentPort?.postMessage('ready')
