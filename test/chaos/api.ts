/** The API as a patient client uses it: it records each call and repeats calls that have no result yet. */
import { setTimeout as sleep } from 'node:timers/promises'
import { textOf } from '../recorded-answers.ts'
import type { Recorder } from './history.ts'

// biome-ignore lint/suspicious/noExplicitAny: the checker judges any answer of the API
export type Answer = { status: number; body: any }

export type Api = {
  /** Returns status 0 when there was no response. */
  call(key: string, method: string, path: string, body?: object): Promise<Answer>
  /** Repeats the call until the answer has this status. Throws after two minutes. */
  insist(status: number, key: string, method: string, path: string, body?: object): Promise<Answer['body']>
}

const callLimitMs = 30_000
const insistMs = 120_000
const betweenTriesMs = 500

export function apiOf(base: string, { record }: Pick<Recorder, 'record'>): Api {
  const call: Api['call'] = async (key, method, path, body) => {
    const began = performance.now()
    const answer = await send(base, path, key, method, body).catch(() => null)
    const { status = 0, retryAfter = false } = answer ?? {}
    const ms = Math.round(performance.now() - began)
    record({ type: 'call', method, path, status, retryAfter, ms })
    return { status, body: answer?.body ?? null }
  }
  return {
    call,
    async insist(status, key, method, path, body) {
      const limit = Date.now() + insistMs
      for (;;) {
        const answer = await call(key, method, path, body)
        if (answer.status === status) return answer.body
        if (Date.now() > limit)
          throw new Error(`${method} ${path} answers ${answer.status}: ${JSON.stringify(answer.body)}`)
        await sleep(betweenTriesMs)
      }
    },
  }
}

async function send(base: string, path: string, key: string, method: string, body: object | undefined) {
  const response = await fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(callLimitMs),
  })
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  const retryAfter = response.headers.has('retry-after')
  const text = await textOf(response, { method, path })
  return { status: response.status, retryAfter, body: isJson ? JSON.parse(text) : text }
}
