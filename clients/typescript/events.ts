/**
 * Follows a crawl by server-sent events. After a cut, a restart of the gateway or silence the stream continues with the
 * id of the last event, so that each event is returned exactly once.
 */
import { ApiError, AttemptTimedOutError, ConnectionFailedError } from './errors.ts'
import { linesOf } from './lists.ts'
import { backoff, sleep } from './retries.ts'
import type { Operations, Run, StreamData } from './schema.ts'
import { eventsIn } from './server-sent-events.ts'
import { Transport } from './transport.ts'

/** One event of a crawl. */
export type CrawlEvent = {
  [Name in keyof StreamData]: { id: string; event: Name; data: StreamData[Name] }
}[keyof StreamData]

export type FollowOptions = Operations['followCrawl']['query'] & {
  signal?: AbortSignal | undefined
  headers?: Record<string, string> | undefined
  /** Milliseconds of silence after which a connection is replaced. Default 45,000: the service sends a comment every 15 s. */
  timeout?: number | undefined
  /** Continue after this event. */
  lastEventId?: string | undefined
  /** Attempts to continue without an event between them. Default 20, about two minutes. */
  maxReconnects?: number | undefined
}

export type WaitOptions = Omit<FollowOptions, 'types' | 'max_per_second' | 'last_event_id'> & {
  onProgress?: ((progress: StreamData['progress']) => void) | undefined
}

const maxPauseMs = 8000
const silentMs = 45_000

/** Yields the events of a crawl until its end. */
export async function* follow(
  transport: Transport,
  id: number,
  options: FollowOptions = {},
): AsyncGenerator<CrawlEvent, void, undefined> {
  const { types, max_per_second, signal, timeout = silentMs, last_event_id, maxReconnects = 20 } = options
  // This loop decides when a connection is repeated.
  const once = new Transport({ ...transport.settings, maxRetries: 0 })
  let last = options.lastEventId ?? last_event_id
  for (let failures = 0; ; ) {
    let pauseMs = Math.min(backoff(failures), maxPauseMs)
    try {
      const headers = { ...options.headers, ...(last !== undefined && { 'last-event-id': last }) }
      const args = { path: { id }, query: { types, max_per_second } }
      const call = { signal, headers, timeout }
      const response = await once.open('followCrawl', args, call, 'text/event-stream')
      if (response.status === 204) return
      for await (const one of eventsIn(linesOf(response))) {
        const event = one as CrawlEvent
        last = event.id
        failures = 0
        yield event
        if (event.event === 'end') return
      }
    } catch (error) {
      const repeatMs = repeatAfter(error, pauseMs)
      if (repeatMs === null || failures >= maxReconnects) throw error
      pauseMs = repeatMs
    }
    if (failures++ >= maxReconnects)
      throw new ConnectionFailedError(`The event stream of crawl ${id} closed before the crawl ended.`, true)
    await sleep(pauseMs, signal)
  }
}

/** Returns when to continue; null: the error is final. */
function repeatAfter(error: unknown, pauseMs: number): number | null {
  if (error instanceof ConnectionFailedError || error instanceof AttemptTimedOutError) return pauseMs
  if (!(error instanceof ApiError)) return null
  if (error.retryAfter !== null && (error.status === 429 || error.status === 503))
    return Math.max(pauseMs, Math.min(error.retryAfter * 1000, maxPauseMs))
  // The response of a proxy while the gateway behind it restarts.
  return error.code === null && error.status >= 502 ? pauseMs : null
}

/** Returns a crawl after its end. */
export async function waitFor(transport: Transport, id: number, options: WaitOptions = {}): Promise<Run> {
  const { onProgress, ...others } = options
  const { signal, headers, timeout } = options
  for await (const { event, data } of follow(transport, id, { ...others, types: 'progress,end' }))
    if (event === 'progress') onProgress?.(data)
  // The rows that a request reads follow the events within moments.
  for (let reads = 0; ; reads++) {
    const run = await transport.call('getCrawl', { path: { id } }, { signal, headers, timeout })
    if (run.status !== 'queued' && run.status !== 'running') return run
    await sleep(Math.min(50 * 2 ** reads, 2000), signal)
  }
}
