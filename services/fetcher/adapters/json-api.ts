/**
 * Programs that the operator has named and that are asked over HTTP for JSON. They may lie anywhere, also at private
 * addresses; what they say is bounded in time and bytes, no redirect of theirs is followed, and a key goes nowhere else.
 */
import { type ClientSettings, createClient, type HttpClient } from '@tidemark/http/client'
import { acceptEncoding, decodeBody } from '@tidemark/http/decode'
import { type Fetched, fetchPage } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { anywhere } from '@tidemark/http/proxy-clients'
import { backOffOf } from '../domain/retry-after.ts'
import { type Told, tellingClient } from './telling-client.ts'

export type ApiQuestion = {
  url: string
  /** Sent by POST as JSON; without it the question is a GET. */
  body?: unknown
  /** Sent as a bearer's. */
  key?: string
  /** Most bytes of the answer, over the wire and decoded. */
  maxBytes: number
  timeoutMs: number
  signal?: AbortSignal
  /** What is told of it meanwhile, and where a large answer waits until it may be read on. */
  told?: Told
}

/** What came: its JSON where it is some. */
export type ApiAnswer = { status: number; json: unknown; isJson: boolean; retryAfterMs: number | null }

/** @throws FetchError where no whole answer came; it says nothing of where the program lies */
export type AskApi = (question: ApiQuestion) => Promise<ApiAnswer>

const connectionsPerOrigin = 16

export const operatorsClient = (settings: ClientSettings): HttpClient =>
  createClient({ ...settings, guard: anywhere, connectionsPerOrigin })

export const createAskApi =
  (client: HttpClient): AskApi =>
  async ({ url, body, key, maxBytes, timeoutMs, signal, told }) => {
    const telling = told ? tellingClient(client, told, maxBytes) : client
    const answer = await fetchPage(telling, {
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
    const { status, headers } = answer
    const retryAfterMs = backOffOf(status, headers['retry-after'], Date.now())
    return { status, retryAfterMs, ...read(answer, maxBytes) }
  }

function read({ body, encodings }: Fetched, maxBytes: number): Pick<ApiAnswer, 'json' | 'isJson'> {
  const text = decodeBody(body, encodings, maxBytes).toString()
  try {
    return { json: JSON.parse(text), isJson: true }
  } catch {
    return { json: null, isJson: false }
  }
}

/** Why an address cannot be one of these, or null. */
export function apiAddressFault(text: string): string | null {
  const url = URL.parse(text)
  const isPlain = url !== null && url.username === '' && url.password === ''
  return isPlain && /^https?:$/.test(url.protocol) ? null : 'must be an address such as http://host:port/path'
}
