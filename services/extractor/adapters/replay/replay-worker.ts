/** The thread that reads stored pages again, and compares them. */
import { parentPort } from 'node:worker_threads'
import { readLarge } from '../../handlers/read-large.ts'
import { comparePacked } from '../../handlers/replay/compare-packed.ts'
import type { ReplayWork } from './replay-thread.ts'

parentPort?.on('message', (work: ReplayWork) => {
  const answer = work.type === 'reading' ? readLarge(work.request) : comparePacked(work.stored, work.now)
  parentPort?.postMessage(answer)
})
parentPort?.postMessage('ready')
