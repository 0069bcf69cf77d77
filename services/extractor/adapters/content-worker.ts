/** The thread that makes content, one page after the other. */
import { parentPort } from 'node:worker_threads'
import { type ContentQuestion, contentOf } from '../domain/content.ts'

parentPort?.on('message', async (question: ContentQuestion) => {
  parentPort?.postMessage(await contentOf(question))
})
