/**
 * Sends requests to JSON APIs that the operator configured. Private addresses are allowed. Responses are bounded in
 * time and bytes, redirects are not followed, and the key is sent to no other host.
 */
import { type ClientSettings, createClient, type HttpClient } from '@tidemark/http/client'
import { acceptEncoding, decodeBody } from '@tidemark/http/decode'
import { type Fetched, fetchPage } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { anywhere } from '@tidemark/http/proxies/proxy-clients'
import { backOffOf } from '../domain/retry-after.ts'
import { type RequestCallbacks, reportingClient } from './reporting-client.ts'

export type ApiRequest = {
  url: string
  /** Sent by POST as JSON. Without a body the request is a GET. */
  body?: unknown
  /** Sent as a bearer token. */
  key?: string
  /** Maximum size of the response in bytes, on the wire and decoded. */
  maxBytes: number
  timeoutMs: number
  signal?: AbortSignal
  /** Callbacks during the request, and the budget that a large response waits for. */
  callbacks?: RequestCallbacks
}

/** The response, with its JSON if the body is valid JSON. */
export type ApiResponse = { status: number; json: unknown; isJson: boolean; retryAfterMs: number | null }

/**
 * Sends a request and returns the response.
 * @throws FetchError if no complete response came; the error does not reveal the API's address
 */
export type RequestApi = (request: ApiRequest) => Promise<ApiResponse>

const connectionsPerOrigin = 16

export const operatorsClient = (settings: ClientSettings): HttpClient =>
  createClient({ ...settings, guard: anywhere, connectionsPerOrigin })

export const createRequestApi =
  (client: HttpClient): RequestApi =>
  async ({ url, body, key, maxBytes, timeoutMs, signal, callbacks }) => {
    const reporting = callbacks ? reportingClient(client, callbacks, maxBytes) : client
    const response = await fetchPage(reporting, {
      url,
      method: body === undefined ? 'GET' : 'POST',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        accept: 'application/json',
        'accept-encoding': acceptEncoding,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key && { authorization: `Bearer ${key}` }),
      },
      maxBytes,
      maxHops: 0,
      timeoutMs,
      ...(signal && { signal }),
    }).catch(thrown => {
      const { code, transient } = FetchError.from(thrown)
      throw new FetchError(code, { cause: thrown, transient })
    })
    const { status, headers } = response
    const retryAfterMs = backOffOf(status, headers['retry-after'], Date.now())
    return { status, retryAfterMs, ...read(response, maxBytes) }
  }

function read({ body, encodings }: Fetched, maxBytes: number): Pick<ApiResponse, 'json' | 'isJson'> {
  const text = decodeBody(body, encodings, maxBytes).toString()
  try {
    return { json: JSON.parse(text), isJson: true }
  } catch {
    return { json: null, isJson: false }
  }
}

/** Returns why an address cannot be an API address, or null. */
export function apiAddressFault(text: string): string | null {
  const url = URL.parse(text)
  const isPlain = url !== null && url.username === '' && url.password === ''
  return isPlain && /^https?:$/.test(url.protocol) ? null : 'must be an address such as http://host:port/path'
}
