/**
 * Somebody who uses the API all the time while servers come and go: makes a monitor, reads what was just made, changes
 * it and deletes it. What was answered must be there at the next question.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from './api.ts'

const betweenCallsMs = 100
/** One that is due in January and so starts nothing. */
const cron = '0 6 1 1 *'

/** Resolves when the signal has aborted and the last call is answered. */
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
