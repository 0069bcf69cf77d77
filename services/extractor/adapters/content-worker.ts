/** The thread that makes content, one page after the other. */
import { parentPort } from 'node:worker_threads'
import { encodeJson } from '@tidemark/bus/codec'
import { comparisonOf } from '../handlers/comparison.ts'
import { makeContent } from '../handlers/make-content.ts'
import type { ThreadQuestion } from './content-thread.ts'

parentPort?.on('message', async (question: ThreadQuestion) => {
  const bytes = encodeJson('mode' in question ? comparisonOf(question) : await makeContent(question))
  parentPort?.postMessage(bytes, [bytes.buffer as ArrayBuffer])
})
