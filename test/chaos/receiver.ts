/** Receives the webhooks of a run of chaos and reports each. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Receiver = { url: string; close(): Promise<void> }

const address = '127.1.19.1'

/** Starts the receiver. `id` is the header by which receivers detect duplicates. */
export async function startReceiver(
  report: (delivery: { run: number; id: string }) => void,
): Promise<Receiver> {
  const server = http.createServer(async (request, response) => {
    await text(request).catch(() => '')
    const { 'x-crawler-run-id': run, 'webhook-id': id } = request.headers
    report({ run: Number(run), id: String(id) })
    response.writeHead(204).end()
  })
  await once(server.listen(0, address), 'listening')
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}/webhook`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
