/** A receiver of webhooks. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { json } from 'node:stream/consumers'
import { listening } from '@tidemark/testing/listening'
import type { Test } from 'tap'

type Hit = { id: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }

/** Starts a receiver that closes with the test. `hits` are the webhooks, the latest last. */
export async function startReceiver(t: Test): Promise<{ hits: Hit[]; url: string }> {
  const hits: Hit[] = []
  const server = createServer(async (request, response) => {
    const { headers } = request
    const body = (await json(request)) as Hit['body']
    hits.push({ id: String(headers['webhook-id']), headers, body })
    response.writeHead(204).end()
  })
  const { url, close } = await listening(server, '127.1.0.7')
  t.teardown(close)
  return { hits, url: `${url}/` }
}
