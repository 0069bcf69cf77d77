/**
 * Sends the requests of the client. It repeats an attempt only if that cannot cost twice: after a refusal that bills
 * nothing, or if the request never left, is a read, or carries an `Idempotency-Key`.
 */
import {
  ApiError,
  AttemptTimedOutError,
  ConnectionFailedError,
  errorOf,
  parsedJson,
  TidemarkError,
} from './errors.ts'
import type { Operation } from './operation.ts'
import { operations, version } from './operations.ts'
import type { Operations } from './schema.ts'
import { newKey } from './web-crypto.ts'

export type OperationId = keyof Operations & keyof typeof operations

export type Arguments = {
  path?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
  /** A body of JSON that is sent as it is, because its bytes are signed. */
  raw?: string | Uint8Array<ArrayBuffer>
}

/** Options of one call. */
export type CallOptions = {
  signal?: AbortSignal | undefined
  /** Milliseconds for each attempt. Of an answer whose body is read later: without a byte of it. */
  timeout?: number | undefined
  /** Of a start: the same key returns the same crawl, monitor or export for 24 hours. Default: a new one. */
  idempotencyKey?: string | undefined
  /** An earlier result of this call: it is returned again if it has not changed (`ETag`). */
  known?: unknown
  headers?: Record<string, string> | undefined
}

/** Facts of an answer beside its content. */
export type Meta = {
  requestId: string | null
  etag: string | null
  /** Parts of the request without an effect, one sentence each. */
  warnings: readonly string[]
  pagesBilled: number | null
  cloudPagesBilled: number | null
}

export type Settings = {
  apiKey: string | undefined
  baseUrl: string
  maxRetries: number
  /** Longest `Retry-After` in seconds that is waited for. */
  maxRetryAfter: number
  timeout: number
  fetch: typeof globalThis.fetch
}

type Attempt = { url: string; init: RequestInit; operation: Operation; options: CallOptions }

const metas = new WeakMap<object, Meta>()

/** Returns the facts of the answer that a result came from; null: the value is no result of this client. */
export const metaOf = (result: unknown): Meta | null =>
  typeof result === 'object' && result !== null ? (metas.get(result) ?? null) : null

/** Records the facts of an answer for its content. */
export function keepMeta(result: unknown, { headers }: Response): void {
  if (typeof result !== 'object' || result === null) return
  const { warnings } = result as { warnings?: unknown }
  const own = Array.isArray(warnings) ? (warnings as string[]) : []
  const sent = parsedJson(headers.get('x-warnings') ?? '')
  metas.set(result, {
    requestId: headers.get('x-request-id'),
    etag: headers.get('etag'),
    warnings: [...new Set([...own, ...(Array.isArray(sent) ? sent.map(String) : [])])],
    pagesBilled: countIn(headers, 'x-pages-billed'),
    cloudPagesBilled: countIn(headers, 'x-cloud-pages-billed'),
  })
}

const countIn = (headers: Headers, name: string): number | null =>
  headers.has(name) ? Number(headers.get(name)) : null

export class Transport {
  readonly settings: Settings

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** Returns the content of the answer. Throws an `ApiError` for every answer that is no success. */
  async call<Op extends OperationId>(id: Op, args: Arguments = {}, options: CallOptions = {}) {
    const operation: Operation = operations[id]
    const accept = operation.isText ? 'application/json;q=0.9, text/plain' : 'application/json'
    return this.#repeat(id, args, options, accept, response =>
      contentOf(response, operation, options.known),
    ) as Promise<Operations[Op]['result']>
  }

  /** Returns the answer itself, with its body not read yet. */
  open(id: OperationId, args: Arguments, options: CallOptions, accept: string): Promise<Response> {
    return this.#repeat(id, args, options, accept, null)
  }

  async #repeat<T = Response>(
    id: OperationId,
    args: Arguments,
    options: CallOptions,
    accept: string,
    read: Read<T> | null,
  ): Promise<T> {
    const attempt = await this.#attemptOf(id, args, options, accept)
    for (let repeated = 0; ; repeated++) {
      try {
        return await this.#try(attempt, read)
      } catch (error) {
        const pause = pauseAfter(error, attempt.operation, repeated, this.settings.maxRetryAfter)
        if (pause === null || repeated >= this.settings.maxRetries) throw error
        await sleep(pause, options.signal)
      }
    }
  }

  async #attemptOf(id: OperationId, args: Arguments, options: CallOptions, accept: string): Promise<Attempt> {
    const operation: Operation = operations[id]
    const { apiKey, baseUrl } = this.settings
    const known = metaOf(options.known)?.etag
    const body = args.raw ?? (args.body === undefined ? undefined : JSON.stringify(args.body))
    const headers = {
      accept,
      ...(isBrowser ? {} : { 'user-agent': `tidemark-typescript/${version}` }),
      ...(apiKey !== undefined && !operation.isPublic && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(operation.isKeyed && { 'idempotency-key': options.idempotencyKey ?? (await newKey()) }),
      ...(known && { 'if-none-match': known }),
      ...options.headers,
    }
    const url = baseUrl + pathOf(operation.path, args.path ?? {}) + queryOf(args.query ?? {})
    const init: RequestInit = { method: operation.method, headers, ...(body !== undefined && { body }) }
    return { url, init, operation, options }
  }

  async #try<T>({ url, init, options }: Attempt, read: Read<T> | null): Promise<T> {
    const { signal, timeout = this.settings.timeout } = options
    signal?.throwIfAborted()
    const ending = new Ending(signal, timeout)
    let response: Response | undefined
    try {
      ending.start()
      response = await this.settings.fetch(url, { ...init, signal: ending.signal })
      if (!response.ok && response.status !== 304) throw errorOf(response, await response.text())
      if (read !== null) return await read(response)
      return (response.body === null ? response : withEnding(response, response.body, ending)) as T
    } catch (error) {
      ending.forget()
      if (error instanceof ApiError) throw error
      signal?.throwIfAborted()
      // The query of a download is a signature, which must not be in a log.
      const address = url.split('?')[0]
      if (ending.isLate) throw new AttemptTimedOutError(`${address} gave no answer within ${timeout} ms.`)
      const wasSent = response !== undefined || !isRefusal(error)
      throw new ConnectionFailedError(
        `The connection to ${address} failed: ${detailOf(error)}.`,
        wasSent,
        error,
      )
    } finally {
      ending.pause()
      if (read !== null || response?.body === null) ending.forget()
    }
  }
}

type Read<T> = (response: Response) => Promise<T>

/** Ends an attempt when its caller aborts it, or after a time without an answer. */
class Ending {
  readonly #ending = new AbortController()
  readonly #caller: AbortSignal | undefined
  readonly #timeout: number
  #timer: ReturnType<typeof setTimeout> | undefined
  isLate = false

  constructor(caller: AbortSignal | undefined, timeout: number) {
    this.#caller = caller
    this.#timeout = timeout
    caller?.addEventListener('abort', this.#abort)
  }

  readonly #abort = () => this.#ending.abort()

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.isLate = true
      this.#ending.abort()
    }, this.#timeout)
  }

  pause(): void {
    clearTimeout(this.#timer)
  }

  /** Removes the listener: a signal of a caller outlives many attempts. */
  forget(): void {
    this.#caller?.removeEventListener('abort', this.#abort)
  }

  /** Returns the error of a body that was not read to its end. */
  errorOf(error: unknown): unknown {
    if (this.#caller?.aborted) return this.#caller.reason
    if (this.isLate) return new AttemptTimedOutError(`The answer was silent for ${this.#timeout} ms.`)
    return new ConnectionFailedError('The connection was cut within the answer.', true, error)
  }
}

/** Returns an answer whose body the caller reads. It fails if the service is silent for too long. */
function withEnding(response: Response, stream: ReadableStream<Uint8Array>, ending: Ending): Response {
  const reader = stream.getReader()
  // A `fetch` of the caller may ignore the signal.
  ending.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}))
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        ending.start()
        try {
          const { done, value } = await reader.read()
          ending.signal.throwIfAborted()
          if (!done) return controller.enqueue(value)
          ending.forget()
          controller.close()
        } catch (error) {
          ending.forget()
          controller.error(ending.errorOf(error))
        } finally {
          ending.pause()
        }
      },
      async cancel(reason) {
        ending.forget()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}

const isBrowser = 'document' in globalThis

/** Returns the milliseconds to wait before a repeated attempt; null: the error is final. */
function pauseAfter(error: unknown, operation: Operation, repeated: number, maxSeconds: number) {
  const jitter = backoff(repeated)
  if (error instanceof ConnectionFailedError) return !error.wasSent || isRepeatable(operation) ? jitter : null
  if (error instanceof AttemptTimedOutError) return isRepeatable(operation) ? jitter : null
  if (!(error instanceof ApiError) || error.retryAfter === null || error.retryAfter > maxSeconds) return null
  const isFree = isRepeatable(operation) || !operation.isBilled || billsNothing(error.headers)
  if (error.status !== 429 && !(error.status === 503 && isFree)) return null
  return error.retryAfter * 1000 + Math.random() * jitter
}

/** Half a second, doubled each time, less a random part up to its half. */
export const backoff = (repeated: number): number =>
  Math.min(500 * 2 ** repeated, 8000) * (1 - Math.random() / 2)

const isRepeatable = ({ method, isKeyed }: Operation): boolean => method === 'GET' || isKeyed === true

const billsNothing = (headers: Headers): boolean =>
  countIn(headers, 'x-pages-billed') === 0 && !countIn(headers, 'x-cloud-pages-billed')

const refusals = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused', 'FailedToOpenSocket'],
])

/** Returns whether the connection was never established, as the runtimes report it. */
function isRefusal(error: unknown): boolean {
  const { code, cause, errors } = (error ?? {}) as { code?: string; cause?: unknown; errors?: unknown[] }
  return refusals.has(code ?? '') || (cause !== undefined && isRefusal(cause)) || !!errors?.every(isRefusal)
}

function detailOf(error: unknown): string {
  const { cause, message, code } = (error ?? {}) as { cause?: unknown; message?: string; code?: string }
  return cause === undefined || cause === null ? message || code || String(error) : detailOf(cause)
}

const pathOf = (path: string, values: Record<string, string | number>): string =>
  path.replace(/\{(\w+)\}/g, (_, name) => {
    const segments = String(values[name]).split(name === 'path' ? '/' : /$^/)
    // URL would resolve them, and the request would reach another operation.
    if (segments.some(segment => segment === '.' || segment === '..'))
      throw new TidemarkError(`'${values[name]}' has a segment '.' or '..', which no path of the API has.`)
    return segments.map(encodeURIComponent).join('/')
  })

function queryOf(values: Record<string, unknown>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return query.length === 0 ? '' : `?${query.join('&')}`
}

async function contentOf(response: Response, operation: Operation, known: unknown): Promise<unknown> {
  if (response.status === 304 && known !== undefined) return known
  const text = await response.text()
  if (response.status === 204) return undefined
  const isJson = response.headers.get('content-type')?.includes('json')
  if (!isJson && operation.isText) return text
  if (!isJson) throw errorOf(response, text)
  const content = parsedJson(text)
  if (content === undefined) throw errorOf(response, text)
  keepMeta(content, response)
  return content
}

/** Waits, or throws the reason of the signal. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
