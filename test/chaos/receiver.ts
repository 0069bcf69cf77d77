/** Receives the webhooks of a run of chaos and reports each. */
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from '@tidemark/testing/listening'

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
  const { url, close } = await listening(server, address)
  return { url: `${url}/webhook`, close }
}
