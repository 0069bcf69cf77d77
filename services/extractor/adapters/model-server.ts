/**
 * A server of models with the API of OpenAI. Time, bytes and attempts of a request are bounded, and redirects are not
 * followed, so the key reaches no other host.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@tidemark/http/client'
import { fetchPage } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { createGuard } from '@tidemark/http/guard'
import { anywhere } from '@tidemark/http/proxies/proxy-clients'
import { resolverOf } from '@tidemark/http/resolve'
import { waitBefore } from '../domain/model/completion.ts'
import type { Again, ServerResponse } from '../domain/model/server-response.ts'
import type { Settings } from '../settings.ts'

/** `why` continues the sentence "the model …". */
export type Unreached = { type: 'unreached'; why: string }

type ModelRequest<Answer> = {
  body: string
  maxBytes: number
  /** Aborts the request, which then rejects with the reason of the signal. */
  signal?: AbortSignal
  /** Reads a response. Another attempt follows if it returns `Again`. */
  read: (response: ServerResponse) => Answer | Again
}

export type ModelServer = AsyncDisposable & {
  /** The host that receives the requests. */
  host: string
  /** Returns the answer, or the reason after all attempts. */
  request<Answer extends { type: string }>(request: ModelRequest<Answer>): Promise<Answer | Unreached>
}

type ModelEndpoint = {
  /** Names the model in the log of the operator. */
  name: string
  base: string
  /** Path below the base address, such as `chat/completions`. */
  path: string
  /** Sent as a bearer token; empty: none is sent. */
  key: string
}

const maxAttempts = 3
const connectMs = 5_000

export function openServer(
  { name, base, path, key }: ModelEndpoint,
  settings: Settings,
  report: (error: unknown) => void,
): ModelServer {
  const url = new URL(`${base.replace(/\/+$/, '')}/${path}`)
  const client = createClient({
    guard: isAllowed(url.host, settings) ? anywhere : createGuard({ allow: settings.EGRESS_ALLOW }),
    resolver: resolverOf(settings),
    connectTimeoutMs: connectMs,
    connectionsPerOrigin: settings.LLM_IN_FLIGHT,
  })
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    ...(key !== '' && { authorization: `Bearer ${key}` }),
  }
  return {
    host: url.host,
    async request(request) {
      const endsAt = performance.now() + settings.LLM_TIMEOUT_MS
      for (let attempt = 1; ; attempt++) {
        const found = await requestOnce(request, endsAt - performance.now())
        if (!isAgain(found)) return found
        const waitMs = waitBefore(attempt, found.retryAfter, Date.now())
        if (attempt === maxAttempts || performance.now() + waitMs >= endsAt) {
          report(new Error(`the ${name} ${found.why} in ${attempt} attempts`))
          return { type: 'unreached', why: found.why }
        }
        await sleep(waitMs, undefined, request.signal && { signal: request.signal })
      }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }

  async function requestOnce<Answer>(
    { body, maxBytes, signal, read }: ModelRequest<Answer>,
    timeoutMs: number,
  ): Promise<Answer | Again | Unreached> {
    try {
      const received = await fetchPage(client, {
        ...{ url: url.href, method: 'POST', headers, body, maxBytes, maxHops: 0 },
        timeoutMs: Math.max(1, timeoutMs),
        ...(signal && { signal }),
      })
      const { status, headers: fields } = received
      return read({ status, text: received.body.toString(), retryAfter: fields['retry-after'] })
    } catch (thrown) {
      signal?.throwIfAborted()
      const error = FetchError.from(thrown)
      // The message may contain the address of the server, which is private to the operator, so clients do not receive
      // it.
      if (error.code === 'timeout') return { type: 'unreached', why: 'did not respond in time' }
      if (error.transient) return { type: 'again', why: 'could not be reached', retryAfter: undefined }
      report(error)
      return { type: 'unreached', why: 'could not be reached' }
    }
  }
}

const isAgain = (found: object): found is Again => 'type' in found && found.type === 'again'

const isAllowed = (host: string, { LLM_ALLOWED_HOSTS }: Settings): boolean =>
  LLM_ALLOWED_HOSTS.some(one => one.toLowerCase() === host)
