/** The thread that reads large pages, one at a time. */
import { parentPort } from 'node:worker_threads'
import { type LargeQuestion, readLarge } from '../handlers/read-large.ts'

parentPort?.on('message', (question: LargeQuestion) => parentPort?.postMessage(readLarge(question)))
parentPort?.postMessage('ready')
