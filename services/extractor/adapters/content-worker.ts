/** The thread that makes content, one page after the other. */
import { parentPort } from 'node:worker_threads'
import type { ContentQuestion } from '../domain/content.ts'
import { makeContent } from '../handlers/make-content.ts'

parentPort?.on('message', async (question: ContentQuestion) => {
  parentPort?.postMessage(await makeContent(question))
})
