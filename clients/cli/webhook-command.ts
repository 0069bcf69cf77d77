/** `tidemark webhooks`: receives, verifies and forwards webhooks on this machine, and sends them again. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Tidemark, verifyWebhook, WebhookVerificationError } from '@tidemark/sdk'
import {
  addressOf,
  argument,
  type Command,
  type Context,
  exitCodes,
  idArgument,
  numberOption,
  refuseTogether,
  textOption,
  UsageError,
} from './command.ts'
import { clean, counted, fields } from './print.ts'

const maxBody = 1024 * 1024
const forwarded = /^(?:content-type|webhook-.+|x-crawler-.+)$/

export const webhooks: Command = {
  summary: 'receive webhooks on this machine, send them again, test a receiver',
  usage: 'listen | redeliver [CRAWL] | test URL',
  options: {
    port: { value: 'N', description: 'of listen: port. Default: 4242' },
    host: { value: 'ADDRESS', description: 'of listen: address. Default: 127.0.0.1' },
    'forward-to': {
      value: 'URL',
      description: 'of listen: forward verified webhooks to this address',
    },
    count: { value: 'N', description: 'of listen: stop after this number of webhooks' },
    all: { description: 'of redeliver CRAWL: also its delivered webhooks' },
    since: {
      value: 'TIME',
      description: 'of redeliver: all webhooks that failed for good since this time (ISO 8601)',
    },
  },
  examples: [
    'tidemark webhooks listen --forward-to http://localhost:3000/hooks',
    'tidemark webhooks redeliver 12',
    'tidemark webhooks redeliver --since 2026-01-02T00:00:00Z',
    'tidemark webhooks test https://hooks.example.com/tidemark',
  ],
  async run(context) {
    const [action] = context.args
    if (action === 'listen') return listen(context)
    if (action === 'redeliver') return redeliver(context)
    if (action === 'test') return test(context)
    throw new UsageError('Name an action: listen, redeliver or test.')
  },
}

async function listen(context: Context): Promise<number> {
  const { secret_hex } = await context.client().webhooks.secret()
  const target = textOption(context, 'forward-to')
  const to = target === undefined ? undefined : addressOf(target)
  let left = numberOption(context, 'count') ?? Number.POSITIVE_INFINITY
  const ended = new AbortController()
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request).catch(() => null)
    const headers = request.headers as Record<string, string>
    const status = body === null ? 413 : await received(context, body, headers, secret_hex, to)
    response.writeHead(status).end()
    if (status < 300 && --left <= 0) ended.abort()
  })
  const host = textOption(context, 'host') ?? '127.0.0.1'
  await once(server.listen(numberOption(context, 'port') ?? 4242, host), 'listening')
  const { port } = server.address() as AddressInfo
  context.note(`Listening. Start crawls with the webhook_url http://${host}:${port}/. Press Ctrl-C to stop.`)
  let code: number = exitCodes.done[0]
  const interrupted = () => {
    code = exitCodes.interrupted[0]
    ended.abort()
  }
  process.once('SIGINT', interrupted)
  await once(ended.signal, 'abort')
  process.off('SIGINT', interrupted)
  server.closeAllConnections?.()
  server.close()
  return code
}

async function bodyOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBody) throw new Error('the body is too large')
  }
  return Buffer.concat(chunks)
}

/** Verifies a webhook, prints it, and forwards its exact bytes and signatures. Returns the status for the service. */
async function received(
  context: Context,
  body: Buffer,
  headers: Record<string, string>,
  secret: string,
  to: string | undefined,
): Promise<number> {
  try {
    const event = await verifyWebhook(body, headers, secret)
    const of = 'url' in event ? `crawl ${event.id}` : `batch ${event.id}`
    const url = 'url' in event ? `  ${clean(event.url)}` : ''
    const what = event.event === 'page.fetched' ? counted(event.pages.length, 'page') : event.status
    context.print(event, () => [`${event.event}  ${of}  ${what}${url}`])
  } catch (error) {
    const isForged = error instanceof WebhookVerificationError
    context.note(`A webhook was rejected: ${isForged ? error.message : 'its body is not JSON.'}`)
    return 400
  }
  if (to === undefined) return 204
  const kept = Object.entries(headers).filter(([name]) => forwarded.test(name))
  try {
    const { status } = await fetch(to, {
      method: 'POST',
      // The service does not follow redirects either, so the receiver would get no webhook.
      redirect: 'manual',
      headers: Object.fromEntries(kept),
      body: Uint8Array.from(body),
    })
    context.note(`  forwarded to ${to}: ${status}`)
    return status
  } catch (error) {
    context.note(`  ${to} cannot be reached: ${(error as Error).message}`)
    return 502
  }
}

async function redeliver(context: Context): Promise<number> {
  const client = context.client()
  const since = textOption(context, 'since')
  if (since !== undefined) {
    refuseTogether(context, 'since', 'all')
    if (context.args[1] !== undefined) throw new UsageError('Give either CRAWL or --since, not both.')
    if (Number.isNaN(Date.parse(since)))
      throw new UsageError(`--since must be a time in ISO 8601, not '${since}'.`)
    const started = await client.webhooks.redeliverDead({ since: new Date(since).toISOString() })
    context.print(started, () => [
      `Sent again: ${counted(started.redelivered, 'webhook')}. Left: ${started.left}.`,
    ])
    return exitCodes.done[0]
  }
  const id = idArgument(context, 1, 'CRAWL (or --since)')
  const sent = await redeliverOf(client, id, context.values.all === true)
  context.print(sent, () => [`Sent again: ${counted(sent.length, 'webhook')} of crawl ${id}.`])
  return sent.length > 0 ? exitCodes.done[0] : exitCodes.unsuccessful[0]
}

/** Sends the failed webhooks of a crawl again, one after the other. With `isAll` also the delivered ones, which their receiver gets twice. */
async function redeliverOf(client: Tidemark, id: number, isAll: boolean) {
  const sent = []
  for (const delivery of await client.crawls.deliveries(id).all())
    if (delivery.state === 'dead' || (isAll && delivery.state === 'delivered'))
      sent.push(await client.crawls.redeliver(id, delivery.id))
  return sent
}

async function test(context: Context): Promise<number> {
  const result = await context.client().webhooks.test({ url: addressOf(argument(context, 1, 'URL')) })
  const { delivered, status, latency_ms, error } = result
  context.print(result, () => fields({ delivered, status, 'latency (ms)': latency_ms, error }))
  return delivered ? exitCodes.done[0] : exitCodes.unsuccessful[0]
}
