/** A server with `/chat/completions` that responds as a test sets it, and pages whose values are known. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Wanted } from '@tidemark/contracts/rpc/content'
import type { Test } from 'tap'
import type { ContentQuestion } from './domain/content-question.ts'

export type ModelRequest = {
  model: string
  max_tokens: number
  response_format: { type: string }
  messages: { role: string; content: string }[]
  authorization: string | undefined
}

/** `status` other than 200 is an error of the server. `hangs` sends nothing. */
export type Reply = {
  content?: unknown
  status?: number
  headers?: Record<string, string>
  finish?: string
  usage?: unknown
  raw?: string
  hangs?: true
}

/** Starts the server. `replyTo` may be replaced; `requests` has everything that it received. */
export async function fakeModel(t: Test, replyTo: (request: ModelRequest) => Reply) {
  const stage = { replyTo, requests: [] as ModelRequest[], url: '', host: '' }
  const server = http.createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const received = {
      ...JSON.parse(Buffer.concat(parts).toString()),
      authorization: request.headers.authorization,
    }
    stage.requests.push(received)
    const reply = stage.replyTo(received)
    if (reply.hangs) return
    const { status = 200, headers = {}, finish = 'stop', content = '' } = reply
    const { usage = { prompt_tokens: 100, completion_tokens: 20 } } = reply
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    const body = {
      choices: [{ message: { role: 'assistant', content: text }, finish_reason: finish }],
      usage,
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(reply.raw ?? JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stage.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  stage.url = `http://${stage.host}/v1`
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return stage
}

const nothing: Wanted = { html: false, markdown: null, article: false, signals: false, anchors: false }

/** Returns a request for the content of a page by a schema, with a model. */
export const questionFor = (
  html: string,
  schema: NonNullable<Wanted['schema']>,
  more: Partial<Wanted> = {},
): ContentQuestion => ({
  url: 'https://shop.test/p',
  status: 200,
  contentType: 'text/html; charset=utf-8',
  headers: {},
  body: Buffer.from(html),
  wanted: { ...nothing, schema, byModel: {}, ...more },
})

export const productSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    price: { type: 'number', minimum: 0 },
    sku: { type: 'string', pattern: '^[A-Z]{2}-[0-9]+$' },
    stock: { type: 'integer' },
    state: { enum: ['in stock', 'sold out'] },
    maker: { type: 'object', properties: { name: { type: 'string' }, city: { type: 'string' } } },
    colours: { type: 'array', items: { type: 'string' } },
    manual: { type: 'string', format: 'uri' },
  },
}

/** Returns a product page in prose, and the values that it states. */
export function productPage(n: number) {
  const [price, sku, stock] = [n + 10.25, `TM-${1000 + n}`, 3 + (n % 7)]
  const state = n % 2 === 0 ? 'in stock' : 'sold out'
  const colours = ['sea green', 'slate'].slice(0, 1 + (n % 2))
  const maker = { name: `Harbour Works ${n}`, city: 'Husum' }
  const manual = `https://shop.test/manual/${n}.pdf`
  const title = `Tide clock no. ${n}`
  const ld =
    n % 3 === 0 ? `<script type="application/ld+json">{"@type":"Product","name":"${title}"}</script>` : ''
  const html = `<!doctype html><html lang=en><head><meta charset=utf-8>${ld}</head><body><main><h1>${title}</h1>
<p>You pay <b>${price.toFixed(2)}</b> EUR for one, and we have ${stock} pieces. It is ${state}.</p>
<p>The order number is ${sku}. It comes in ${colours.join(' and ')}.</p>
<p>${maker.name} builds it in ${maker.city}. <a href="/manual/${n}.pdf">Manual</a></p></main></body></html>`
  const values = { name: title, price, sku, stock, state, maker, colours, manual }
  return { html, values }
}
