/** The thread that reads link graphs, one at a time. It requests the links as it proceeds. */
import { once } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { PackedLinks } from '@tidemark/content/packed-links'
import { type GraphQuestion, linkGraph, type ReadLinks } from '../handlers/actors/link-graph.ts'
import type { LinksSent } from './graph-thread.ts'

parentPort?.on('message', async ({ question, port }: { question: GraphQuestion; port: MessagePort }) => {
  const answer = await linkGraph(question, readFrom(port)).catch(error => {
    if (error instanceof Over) return null
    throw error
  })
  port.close()
  parentPort?.postMessage(answer)
})
parentPort?.postMessage('ready')

/** Ends the links early, even if more were requested. */
class Over extends Error {}

const readFrom =
  (port: MessagePort): ReadLinks =>
  async wanted => {
    const sent = once(port, 'message') as Promise<[LinksSent]>
    port.postMessage(wanted)
    const [links] = await sent
    if (links === 'over') throw new Over()
    return links satisfies PackedLinks | null
  }
