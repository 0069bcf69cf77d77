/** The thread that reads the links of runs, one run at a time. It requests the links as it proceeds. */
import { once } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { PackedLinks } from '@tidemark/content/packed-links'
import { linkGraph, type ReadLinks } from '../handlers/actors/link-graph.ts'
import { mapLinks } from '../handlers/actors/map-links.ts'
import type { GraphWork, LinksSent } from './graph-thread.ts'

parentPort?.on('message', async ({ request, port }: { request: GraphWork; port: MessagePort }) => {
  const read = readFrom(port)
  const work = 'watched' in request ? mapLinks(request, read) : linkGraph(request, read)
  const answer = await work.catch(error => {
    if (error instanceof Over) return null
    throw error
  })
  port.close()
  parentPort?.postMessage(answer)
})
parentPort?.postMessage('ready')

/** Thrown if the links end early, because the request was aborted or the links could not be read. */
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
