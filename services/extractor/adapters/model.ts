/**
 * Requests a response from a language model, at any server with `/chat/completions`. Time, tokens, bytes, attempts and
 * concurrent requests are bounded, and redirects are not followed. It never throws: without a response it returns the
 * reason.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelUse } from '@tidemark/contracts/http/extraction'
import { createClient, type HttpClient } from '@tidemark/http/client'
import { fetchPage } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { createGuard } from '@tidemark/http/guard'
import { anywhere } from '@tidemark/http/proxies/proxy-clients'
import { resolverOf } from '@tidemark/http/resolve'
import { type Completion, completionOf, waitBefore } from '../domain/model/completion.ts'
import type { Message } from '../domain/model/messages.ts'
import type { Settings } from '../settings.ts'

/** `why` continues the sentence "the model …". */
export type ModelResponse =
  | { is: 'answered'; text: string; use: ModelUse }
  | { is: 'failed'; why: string; use: ModelUse | null }

export type Model = AsyncDisposable & {
  name: string
  /** The host that receives the pages. */
  host: string
  /** Characters of a page that it receives. */
  maxCharacters: number
  request(messages: readonly Message[]): Promise<ModelResponse>
}

const maxAttempts = 3
const maxBytes = 1024 ** 2
const connectMs = 5_000

/** Returns the faults of settings that depend on each other. */
export const modelFaults = ({ LLM_BASE_URL, LLM_MODEL }: Settings): string[] =>
  LLM_BASE_URL !== '' && LLM_MODEL === ''
    ? ['LLM_MODEL is not set: LLM_BASE_URL needs the name of a model of that server']
    : []

/** Returns the model of the settings; null: without one. */
export function openModel(settings: Settings, report: (error: unknown) => void): Model | null {
  const { LLM_BASE_URL: base, LLM_MODEL: name } = settings
  if (base === '') return null
  const url = new URL(`${base.replace(/\/+$/, '')}/chat/completions`)
  const client = clientFor(url.host, settings)
  let inFlight = 0
  return {
    name,
    host: url.host,
    maxCharacters: settings.LLM_MAX_CHARACTERS,
    async request(messages) {
      if (inFlight >= settings.LLM_IN_FLIGHT)
        return { is: 'failed', why: 'has too many requests now', use: null }
      inFlight += 1
      try {
        return await complete({ client, url: url.href, settings, report }, messages)
      } finally {
        inFlight -= 1
      }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function clientFor(host: string, { EGRESS_ALLOW, LLM_ALLOWED_HOSTS, ...settings }: Settings): HttpClient {
  const isAllowed = LLM_ALLOWED_HOSTS.some(one => one.toLowerCase() === host)
  return createClient({
    guard: isAllowed ? anywhere : createGuard({ allow: EGRESS_ALLOW }),
    resolver: resolverOf(settings),
    connectTimeoutMs: connectMs,
    connectionsPerOrigin: settings.LLM_IN_FLIGHT,
  })
}

type Calling = {
  client: HttpClient
  url: string
  settings: Settings
  report: (error: unknown) => void
}

async function complete(calling: Calling, messages: readonly Message[]): Promise<ModelResponse> {
  const { settings, report } = calling
  const endsAt = performance.now() + settings.LLM_TIMEOUT_MS
  for (let attempt = 1; ; attempt++) {
    const found = await completeOnce(calling, messages, endsAt - performance.now())
    if (found.is === 'answered') return found
    if (found.is === 'failed') return { is: 'failed', why: found.why, use: found.use }
    const waitMs = waitBefore(attempt, found.retryAfter, Date.now())
    const isOver = attempt === maxAttempts || performance.now() + waitMs >= endsAt
    if (isOver) {
      report(new Error(`the language model ${found.why} in ${attempt} attempts`))
      return { is: 'failed', why: found.why, use: null }
    }
    await sleep(waitMs)
  }
}

/** A failure with `again` may succeed later. */
async function completeOnce(
  { client, url, settings, report }: Calling,
  messages: readonly Message[],
  timeoutMs: number,
): Promise<Completion> {
  const { LLM_MODEL: model, LLM_MAX_TOKENS: maxTokens, LLM_API_KEY: key } = settings
  const body = JSON.stringify({
    model,
    messages,
    max_tokens: maxTokens,
    temperature: 0,
    stream: false,
    response_format: { type: 'json_object' },
  })
  try {
    const {
      status,
      headers,
      body: received,
    } = await fetchPage(client, {
      url,
      method: 'POST',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        ...(key !== '' && { authorization: `Bearer ${key}` }),
      },
      body,
      maxBytes,
      maxHops: 0,
      timeoutMs: Math.max(1, timeoutMs),
    })
    const completion = completionOf(
      { status, text: received.toString(), retryAfter: headers['retry-after'] },
      { model, maxTokens, sent: body },
    )
    if (completion.is === 'failed') report(new Error(`the language model ${completion.why}`))
    return completion
  } catch (thrown) {
    const error = FetchError.from(thrown)
    // The address is the operator's business, so clients do not receive the message.
    if (error.code === 'timeout') return { is: 'failed', why: 'did not respond in time', use: null }
    if (error.transient) return { is: 'again', why: 'could not be reached', retryAfter: undefined }
    report(error)
    return { is: 'failed', why: 'could not be reached', use: null }
  }
}
