/**
 * Requests a response from a language model, at any server with `/chat/completions`. Time, tokens, bytes, attempts and
 * concurrent requests are bounded. It never throws: without a response it returns the reason.
 */
import type { Owner } from '@tidemark/bus/fair-line'
import { createFairBudget } from '../concurrency/fair-budget.ts'
import { type Completion, completionOf } from '../domain/model/completion.ts'
import type { Message } from '../domain/model/messages.ts'
import type { Settings } from '../settings.ts'
import { type ModelServer, openServer } from './model-server.ts'

export type Model = AsyncDisposable & {
  name: string
  /** The host that receives the pages. */
  host: string
  /** Characters of a page that it receives. */
  maxCharacters: number
  /** @param owner the client: each has a share of the concurrent requests, and waits for a free one */
  request(messages: readonly Message[], owner: Owner): Promise<Completion>
}

const maxBytes = 1024 ** 2
/** Share of the concurrent requests that one owner may have. */
const share = 1 / 4
/** Callers allow this time for the wait and the response together. */
const callerMs = 60_000

/** Returns the model of the settings; null: without one. */
export function openModel(settings: Settings, report: (error: unknown) => void): Model | null {
  const { LLM_BASE_URL: base, LLM_MODEL: name, LLM_API_KEY: key } = settings
  if (base === '') return null
  const endpoint = { name: 'language model', base, path: 'chat/completions', key }
  const server = openServer(endpoint, settings, report)
  const { LLM_IN_FLIGHT: all, LLM_TIMEOUT_MS: timeoutMs } = settings
  const slots = createFairBudget({ all, each: Math.max(1, Math.floor(all * share)) })
  return {
    name,
    host: server.host,
    maxCharacters: settings.LLM_MAX_CHARACTERS,
    async request(messages, owner) {
      const late = AbortSignal.timeout(callerMs - timeoutMs)
      using slot = await slots.enter(owner, 1, late).catch(() => null)
      if (slot === null) return { type: 'failed', why: 'has too many requests now', use: null }
      return await complete(server, settings, messages, report)
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function complete(
  server: ModelServer,
  { LLM_MODEL: model, LLM_MAX_TOKENS: maxTokens }: Settings,
  messages: readonly Message[],
  report: (error: unknown) => void,
): Promise<Completion> {
  const body = JSON.stringify({
    model,
    messages,
    max_tokens: maxTokens,
    temperature: 0,
    stream: false,
    response_format: { type: 'json_object' },
  })
  const read = (response: Parameters<typeof completionOf>[0]) =>
    completionOf(response, { model, maxTokens, sent: body })
  const found = await server.request({ body, maxBytes, read })
  if (found.type === 'failed') report(new Error(`the language model ${found.why}`))
  return found.type === 'unreached' ? { type: 'failed', why: found.why, use: null } : found
}
