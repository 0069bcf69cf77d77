/**
 * A fake server of a language model with `/chat/completions` and `/embeddings`, whose responses a test sets, and pages
 * whose values are known.
 */
import { hash } from 'node:crypto'
import http from 'node:http'
import { json } from 'node:stream/consumers'
import { nothing, type Wanted } from '@tidemark/contracts/rpc/content'
import { listening } from '@tidemark/testing/listening'
import type { Test } from 'tap'
import type { ContentRequest } from './domain/content-request.ts'

export type ModelRequest = {
  model: string
  max_tokens: number
  response_format: { type: string }
  messages: { role: string; content: string }[]
  authorization: string | undefined
}

export type EmbeddingRequest = {
  model: string
  input: string[]
  encoding_format: string
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
  /** Closes the connection within the response. */
  isCut?: true
  hangs?: true
}

/**
 * Returns the vector that the good server sends for a text. Each text has another vector, and 32-bit floats hold its
 * numbers exactly.
 */
export const vectorOf = (text: string): number[] =>
  [...hash('sha256', text, 'buffer').subarray(0, 8)].map(byte => byte / 256 - 0.5)

type Item = { index?: unknown; embedding: unknown }

/** Responses with vectors, by their name. Only `good` and `shuffled` are right. */
export const embedders = {
  good: items => items,
  shuffled: items => items.toReversed(),
  'too few': items => items.slice(1),
  'too many': items => [...items, ...items.slice(0, 1)],
  'no index': items => items.map(({ embedding }) => ({ embedding })),
  'wrong index': items => items.map(({ embedding }, n) => ({ index: n + 1, embedding })),
  'one index': items => items.map(({ embedding }) => ({ index: 0, embedding })),
  'texts for numbers': items => withFirst(items, embedding => embedding.map(String)),
  'null for a number': items => withFirst(items, embedding => [null, ...embedding.slice(1)]),
  'numbers beyond 32 bits': items => withFirst(items, embedding => [1e39, ...embedding.slice(1)]),
  'another dimension': items => withFirst(items, embedding => embedding.slice(1)),
  'an empty vector': items => withFirst(items, () => []),
  'too many dimensions': items =>
    items.map(({ index }) => ({ index, embedding: Array.from({ length: 8_193 }, () => 0) })),
  base64: items => items.map(({ index }) => ({ index, embedding: 'AACAPw==' })),
} as const satisfies Record<string, (items: Vector[]) => Item[]>

type Vector = { index: number; embedding: number[] }

const withFirst = (items: Vector[], change: (embedding: number[]) => unknown[]): Item[] =>
  items.map((item, n) => (n === 0 ? { ...item, embedding: change(item.embedding) } : item))

/** Returns the response of an embedder. */
export const embeddedBy = (name: keyof typeof embedders, { input }: EmbeddingRequest): Reply => {
  const items = input.map((text, index) => ({ index, embedding: vectorOf(text) }))
  const usage = { prompt_tokens: input.length * 10, total_tokens: input.length * 10 }
  return { raw: JSON.stringify({ object: 'list', data: embedders[name](items), usage }) }
}

/**
 * Starts the server. `replyTo` and `embed` may be replaced; `requests` and `embeddings` have everything that it
 * received.
 */
export async function fakeModel(t: Test, replyTo: (request: ModelRequest) => Reply) {
  const stage = {
    ...{ replyTo, requests: [] as ModelRequest[], url: '', host: '' },
    embed: (request: EmbeddingRequest): Reply | Promise<Reply> => embeddedBy('good', request),
    embeddings: [] as EmbeddingRequest[],
  }
  const server = http.createServer(async (request, response) => {
    const sent = (await json(request)) as ModelRequest & EmbeddingRequest
    const received = { ...sent, authorization: request.headers.authorization }
    const isEmbedding = request.url === '/v1/embeddings'
    if (isEmbedding) stage.embeddings.push(received)
    else stage.requests.push(received)
    const reply = isEmbedding ? await stage.embed(received) : stage.replyTo(received)
    if (reply.hangs) return
    const { status = 200, headers = {}, finish = 'stop', content = '' } = reply
    const { usage = { prompt_tokens: 100, completion_tokens: 20 } } = reply
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    const body = {
      choices: [{ message: { role: 'assistant', content: text }, finish_reason: finish }],
      usage,
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    if (reply.isCut) return response.write('{"data":[', () => response.destroy())
    response.end(reply.raw ?? JSON.stringify(body))
  })
  const { port, close } = await listening(server)
  stage.host = `127.0.0.1:${port}`
  stage.url = `http://${stage.host}/v1`
  t.teardown(close)
  return stage
}

/** Returns a request for the content of a page by a schema, with a model. */
export const requestFor = (
  html: string,
  schema: NonNullable<Wanted['schema']>,
  more: Partial<Wanted> = {},
): ContentRequest => ({
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
