/**
 * Sends the requests of the client. It repeats an attempt only if that cannot cost twice: after a refusal that bills
 * nothing, or if the request never left, is a read, or carries an `Idempotency-Key`.
 */

import { Ending, withEnding } from './ending.ts'
import {
  ApiError,
  AttemptTimedOutError,
  ConnectionFailedError,
  errorOf,
  parsedJson,
  TidemarkError,
} from './errors.ts'
import { keepMeta, metaOf } from './meta.ts'
import type { Operation } from './operation.ts'
import { operations, version } from './operations.ts'
import { isDeletedBefore, isRefusal, pauseAfter, sleep } from './retries.ts'
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
  /** Milliseconds for the response of each attempt, and then between two parts of its body. */
  timeout?: number | undefined
  /** For 24 hours the same key returns the same crawl, monitor or export. Default: a new key for each call. */
  idempotencyKey?: string | undefined
  /** An earlier result of this call: it is returned again if it has not changed (`ETag`). */
  known?: unknown
  headers?: Record<string, string> | undefined
}

export type Settings = {
  apiKey: string | undefined
  baseUrl: string
  maxRetries: number
  /** Maximum `Retry-After`, in seconds, for which the client waits. */
  maxRetryAfter: number
  timeout: number
  fetch: typeof globalThis.fetch
}

type Attempt = { url: string; init: RequestInit; operation: Operation; options: CallOptions }

export class Transport {
  readonly settings: Settings

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** Returns the content of the response. Throws an `ApiError` for every response that is not a success. */
  async call<Op extends OperationId>(id: Op, args: Arguments = {}, options: CallOptions = {}) {
    const operation: Operation = operations[id]
    const accept = operation.isText ? 'application/json;q=0.9, text/plain' : 'application/json'
    return this.#repeat(id, args, options, accept, response =>
      contentOf(response, operation, options.known),
    ) as Promise<Operations[Op]['result']>
  }

  /** Returns the response itself, with its body not read yet. */
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
    let before: unknown
    for (let repeated = 0; ; repeated++) {
      try {
        return await this.#try(attempt, read)
      } catch (error) {
        if (isDeletedBefore(error, before, attempt.operation)) {
          const deleted = new Response(null, { status: 204 })
          return read === null ? (deleted as T) : await read(deleted)
        }
        before = error
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
    checkHeaders(headers)
    const url = baseUrl + pathOf(operation.path, args.path ?? {}) + queryOf(args.query ?? {})
    // Redirects are not followed: `fetch` would turn a POST into a GET, and send no key to another host.
    const fixed = { method: operation.method, redirect: 'manual' as const }
    const init: RequestInit = { ...fixed, headers, ...(body !== undefined && { body }) }
    return { url, init, operation, options }
  }

  async #try<T>({ url, init, options }: Attempt, read: Read<T> | null): Promise<T> {
    const { signal, timeout = this.settings.timeout } = options
    signal?.throwIfAborted()
    const ending = new Ending(signal, timeout)
    let received: Response | undefined
    let response: Response | undefined
    try {
      ending.start()
      received = await this.settings.fetch(url, { ...init, signal: ending.signal })
      ending.pause()
      response = withEnding(received, ending)
      if (isRedirect(response))
        throw errorOf(response, await response.text(), redirectText(response, url, this.settings.baseUrl))
      if (!response.ok && response.status !== 304) throw errorOf(response, await response.text())
      if (read !== null) return await read(response)
      return response as T
    } catch (error) {
      ending.forget()
      if (error instanceof ApiError) throw error
      signal?.throwIfAborted()
      const address = withoutQuery(url)
      if (ending.isLate) throw new AttemptTimedOutError(`${address} did not respond within ${timeout} ms.`)
      const wasSent = response !== undefined || !isRefusal(error)
      throw new ConnectionFailedError(
        `The connection to ${address} failed: ${detailOf(error)}.`,
        wasSent,
        error,
      )
    } finally {
      ending.pause()
      if (read !== null || response === received) ending.forget()
    }
  }
}

type Read<T> = (response: Response) => Promise<T>

const isBrowser = 'document' in globalThis

/** The query of a download is a signature, which must not be in a log. */
const withoutQuery = (url: string): string => url.split('?')[0] ?? ''

/** Browsers hide the status and the target of a redirect. */
const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)

/** Returns the message of a redirect, with the base URL to set if the target has the same path. */
function redirectText({ headers }: Response, url: string, baseUrl: string): string {
  const address = withoutQuery(url)
  const target = targetOf(headers.get('location'), url)
  const path = address.slice(baseUrl.length)
  const base = target?.endsWith(path) ? target.slice(0, -path.length) : 'the address of the service'
  return `${address} redirects${target ? ` to ${target}` : ''}. Set the base URL to ${base}.`
}

/** Returns the target of a redirect without its query and its credentials; undefined: it is missing or invalid. */
function targetOf(location: string | null, url: string): string | undefined {
  try {
    const { origin, pathname } = new URL(location ?? '', url)
    return location === null ? undefined : origin + pathname
  } catch {
    return undefined
  }
}

function detailOf(error: unknown): string {
  const { cause, message, code } = (error ?? {}) as { cause?: unknown; message?: string; code?: string }
  return cause === undefined || cause === null ? message || code || String(error) : detailOf(cause)
}

/** A header that the runtime refuses would look like a failed connection, and the runtime prints its value. */
function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers))
    try {
      new Headers([[name, value]])
    } catch {
      throw new TidemarkError(`The header '${name}' has a character that no header has.`)
    }
}

const pathOf = (path: string, values: Record<string, string | number>): string =>
  path.replace(/\{(\w+)\}/g, (_, name) => {
    const value: unknown = values[name]
    // Any other value, such as a whole crawl in place of its id, would be the name of no resource.
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new TidemarkError(`The path ${path} needs a text or a number for '${name}'.`)
    const segments = String(value).split(name === 'path' ? '/' : /$^/)
    // URL would resolve them, and the request would reach another operation.
    if (segments.some(segment => segment === '.' || segment === '..'))
      throw new TidemarkError(`'${value}' has a segment '.' or '..', which no path of the API has.`)
    return segments.map(encodeURIComponent).join('/')
  })

function queryOf(values: Record<string, unknown>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return query.length === 0 ? '' : `?${query.join('&')}`
}

/** Returns the content of a successful response. Throws an `ApiError` if it is not of the API. */
export async function contentOf(
  response: Response,
  operation: Pick<Operation, 'isText'>,
  known: unknown,
): Promise<unknown> {
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
