/**
 * A client that uses the API throughout the faults: it creates a monitor, reads it at once, changes it and deletes it.
 * The next call must find everything that an answer confirmed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from './api.ts'

const betweenCallsMs = 100
/** Due only in January, so that it starts no run. */
const cron = '0 6 1 1 *'

/** Resolves after the signal has aborted and the last call has its answer. */
export async function callAllTheTime(api: Api, key: string, url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const made = await api.call(key, 'POST', '/v1/crawls', { url, cron })
    await sleep(betweenCallsMs)
    if (made.status >= 300 || made.status === 0) continue
    const monitor = `/v1/crons/${made.body.monitor_id}`
    await api.call(key, 'GET', monitor)
    await api.call(key, 'PATCH', monitor, { enabled: false })
    await api.call(key, 'DELETE', monitor)
  }
}
