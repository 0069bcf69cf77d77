/** The thread that makes content, one page at a time. */
import { parentPort } from 'node:worker_threads'
import { encodeJson } from '@tidemark/bus/codec'
import { readSeen } from '../handlers/actors/read-seen.ts'
import { comparisonOf } from '../handlers/comparison.ts'
import { makeContent } from '../handlers/make-content.ts'
import { readSitePage } from '../handlers/read-site-page.ts'
import { transformHtml } from '../handlers/transform-html.ts'
import type { ThreadAnswer, ThreadQuestion } from './content-thread.ts'

parentPort?.on('message', async (question: ThreadQuestion) => {
  const answer = await answerTo(question)
  parentPort?.postMessage(answer, [answer.json.buffer as ArrayBuffer])
})
parentPort?.postMessage('ready')

async function answerTo(question: ThreadQuestion): Promise<ThreadAnswer> {
  if ('reading' in question) return plain(await readSeen(question))
  if ('scraper' in question) return plain(await readSitePage(question))
  if ('format' in question) return plain(transformHtml(question))
  if ('mode' in question) return plain(comparisonOf(question))
  const { content, isShell, modelInput } = await makeContent(question)
  const made = { json: encodeJson(content), challenge: content.challenge, isShell }
  return modelInput === null ? made : { ...made, modelInput }
}

const plain = (answer: object): ThreadAnswer => ({
  json: encodeJson(answer),
  challenge: null,
  isShell: false,
})
