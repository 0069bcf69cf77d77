/** A receiver of webhooks. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
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
  await new Promise<void>(resolve => server.listen(0, '127.1.0.7', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { hits, url: `http://127.1.0.7:${(server.address() as AddressInfo).port}/` }
}
