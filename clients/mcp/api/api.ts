/**
 * The public API as the tools call it. Nothing else of the service is reachable from here. The client of TypeScript sends
 * the requests: it repeats those that cannot cost twice, and starts of crawls carry an `Idempotency-Key`.
 */
import {
  needsStream,
  type OperationId,
  operations,
  ApiError as Refusal,
  resultIn,
  Tidemark,
  TidemarkError,
} from '@tidemark/sdk'

export type Request = {
  query?: Readonly<Record<string, string | number | undefined>>
  body?: object
  signal?: AbortSignal
}

export type Response = {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tools read fields that the OpenAPI document promises
  body: any
  /** Units that the call cost, if the response states them. */
  billed: { pages?: number; cloud_pages?: number }
}

export type Api = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  request?: Request,
) => Promise<Response>

/** The subset of `fetch` that a call needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<globalThis.Response>

/** The API refused a call, or did not respond. `message` is for the model. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status of the refusal; null: the API did not respond. */
  readonly status: number | null

  constructor(message: string, status: number | null = null) {
    super(message)
    this.status = status
  }
}

/** Larger responses are rejected: no tool result can hold them. */
const maxBytes = 48 * 1024 ** 2
/**
 * Maximum `Retry-After` in seconds that a call waits. The model gets a longer one as an error, and can do other work.
 */
const maxRetryAfter = 5
/** Milliseconds without data after which a call fails. The client of the model can end a call at any time. */
const maxSilentMs = 900_000

/** Returns the API at an address. Neither errors nor logs contain the key. */
export function openApi({ baseUrl, apiKey, fetch }: { baseUrl: string; apiKey: string; fetch: Fetch }): Api {
  const client = new Tidemark({
    ...{ apiKey, baseUrl, maxRetryAfter, timeout: maxSilentMs },
    fetch: fetch as typeof globalThis.fetch,
  })
  return async (method, path, { query = {}, body, signal } = {}) => {
    const { id, values } = operationOf(method, path)
    const args = { path: values, query, ...(body !== undefined && { body }) }
    // Node.js ends a connection that is silent for 300 s. A stream has a comment every 15 s.
    const accept = needsStream(id, body) ? 'text/event-stream' : 'application/json'
    try {
      return await read(limited(await client.request(id, args, accept, { signal })))
    } catch (error) {
      if (error instanceof Refusal) throw new ApiError(refusalText(error), error.status)
      throw error instanceof TidemarkError ? new ApiError(`The API did not respond: ${error.message}`) : error
    }
  }
}

/** The operations with a pattern of their path. A fixed path is found before one with a parameter in its place. */
const patterns = Object.entries(operations)
  .map(([id, { method, path }]) => {
    const pattern = new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    return { id: id as OperationId, method, pattern, parameters: path.split('{').length }
  })
  .sort((one, other) => one.parameters - other.parameters)

function operationOf(method: string, path: string) {
  for (const { id, method: known, pattern } of patterns) {
    const found = known === method ? pattern.exec(path) : null
    if (found !== null) return { id, values: { ...found.groups } }
  }
  throw new Error(`The API has no operation ${method} ${path}.`)
}

async function read(response: globalThis.Response): Promise<Response> {
  const type = response.headers.get('content-type') ?? ''
  const isStream = type.startsWith('text/event-stream')
  const body = isStream ? await resultIn(response) : parsed(await response.text(), type)
  const units = (name: string) => {
    const value = response.headers.get(name)
    return value === null ? undefined : Number(value)
  }
  const [pages, cloudPages] = [units('x-pages-billed'), units('x-cloud-pages-billed')]
  const billed = {
    ...(pages !== undefined && { pages }),
    ...(cloudPages !== undefined && { cloud_pages: cloudPages }),
  }
  return { status: response.status, body, billed }
}

/** Returns the response with a body that fails if it exceeds the limit. */
function limited(response: globalThis.Response): globalThis.Response {
  if (response.body === null) return response
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes <= maxBytes) return controller.enqueue(chunk)
      const message = `The response exceeds ${maxBytes} bytes. Use the API or an export (POST /v1/crawls/{id}/exports) instead.`
      controller.error(new ApiError(message))
    },
  })
  return new Response(response.body.pipeThrough(limit), response)
}

/** Rows are text, although a single row of NDJSON is JSON too. */
function parsed(text: string, type: string): unknown {
  if (/^(text\/csv|application\/x-ndjson)\b/.test(type)) return { text }
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return { text }
  }
}

/** Returns the error of the API with all that helps to repair the call. */
function refusalText({ status, code, reason, field, message, retryAfter, requestId }: Refusal): string {
  const about = [code ?? 'error', reason, field && `field ${field}`].filter(Boolean).join(', ')
  return [
    `The API refused this: ${message} (${status}, ${about})`,
    retryAfter === null ? '' : ` Retry after ${retryAfter} seconds.`,
    requestId === null ? '' : ` Request id ${requestId}.`,
  ].join('')
}
