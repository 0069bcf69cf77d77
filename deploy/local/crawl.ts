/** Starts a crawl through the public API and watches it to its end, as any client would. */
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './call.ts'
import { LaunchError } from './launch-error.ts'
import type { LiveLine } from './processes/live-line.ts'

export type Run = {
  id: number
  url: string
  status: string
  page_count: number
  error_count: number
  error_message: string | null
}
export type Api = { base: string; key: string }

const pollMs = 200
const keyKnownWithinMs = 10_000
const terminal = new Set(['done', 'failed', 'cancelled'])

/**
 * Returns the run in its terminal state, or in its last known state when `signal` aborts. Throws LaunchError
 * CALL_FAILED.
 */
export async function crawl(
  { base, key }: Api,
  body: Record<string, unknown>,
  line: LiveLine,
  signal: AbortSignal,
): Promise<Run> {
  const began = Date.now()
  const { id } = await begin()
  for (;;) {
    const run = await request<Run>('GET', `/v1/crawls/${id}`)
    const seconds = ((Date.now() - began) / 1000).toFixed(1)
    const state = `${run.url}: ${run.page_count} pages, ${run.error_count} errors, ${seconds} s`
    if (terminal.has(run.status) || signal.aborted) {
      line.end(`Crawled ${state} (${run.status})`)
      return run
    }
    line.show(`Crawling ${state} …`)
    await sleep(pollMs)
  }

  /** Starts the crawl. Retries for 10 s, because the gateway may not know a new key yet. */
  async function begin(): Promise<{ id: number }> {
    for (;;) {
      try {
        return await request<{ id: number }>('POST', '/v1/crawls', body)
      } catch (error) {
        const isTemporary =
          /answered (401|503)/.test((error as Error).message) && Date.now() - began < keyKnownWithinMs
        if (!isTemporary || signal.aborted) throw error
        await sleep(100)
      }
    }
  }

  async function request<Json>(method: string, path: string, body?: unknown): Promise<Json> {
    const { status, text } = await call(base, method, path, { key, body })
    if (status >= 200 && status < 300) return JSON.parse(text)
    throw new LaunchError('CALL_FAILED', `${method} ${path} answered ${status}: ${text.slice(0, 1_000)}`)
  }
}
