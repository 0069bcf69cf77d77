/** The thread that reads large pages, one after the other. */
import { parentPort } from 'node:worker_threads'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { readBody } from '../handlers/read-body.ts'

parentPort?.on('message', ({ page, decoded }: { page: FetchedPage; decoded: Uint8Array }) => {
  const steps = readBody(page, Buffer.from(decoded.buffer, decoded.byteOffset, decoded.byteLength))
  for (let step = steps.next(); ; step = steps.next()) {
    if (!step.done) continue
    parentPort?.postMessage(step.value)
    return
  }
})
