/** The thread that makes content, one page at a time. */
import { parentPort } from 'node:worker_threads'
import { encodeJson } from '@tidemark/bus/codec'
import { readSeen } from '../handlers/actors/read-seen.ts'
import { comparisonOf } from '../handlers/comparison.ts'
import { makeContent } from '../handlers/make-content.ts'
import { readSitePage } from '../handlers/read-site-page.ts'
import { transformHtml } from '../handlers/transform-html.ts'
import type { ThreadAnswer, ThreadRequest } from './content-thread.ts'

parentPort?.on('message', async (request: ThreadRequest) => {
  const answer = await answerTo(request)
  parentPort?.postMessage(answer, [answer.json.buffer as ArrayBuffer])
})
parentPort?.postMessage('ready')

async function answerTo(request: ThreadRequest): Promise<ThreadAnswer> {
  if ('reading' in request) return plain(await readSeen(request))
  if ('scraper' in request) return plain(await readSitePage(request))
  if ('format' in request) return plain(transformHtml(request))
  if ('mode' in request) return plain(comparisonOf(request))
  const { content, isShell, modelInput } = await makeContent(request)
  const made = { json: encodeJson(content), challenge: content.challenge, isShell }
  return modelInput === null ? made : { ...made, modelInput }
}

const plain = (answer: object): ThreadAnswer => ({
  json: encodeJson(answer),
  challenge: null,
  isShell: false,
})
