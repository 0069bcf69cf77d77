/** Many monitors that are due at the same time, and a receiver of their webhooks. */
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { concurrentRuns } from '@tidemark/contracts/tiers'
import { listening } from '@tidemark/testing/listening'
import type pg from 'pg'
import type { System } from './system.ts'

const address = '127.1.20.1'
/** Monitors beyond the limit of concurrent runs of a project would be skipped. */
const monitorsOfProject = concurrentRuns
const atOnce = 8

/**
 * Starts a page to crawl that is also the receiver of the webhooks. `webhooks` has the number of webhooks by run id.
 */
export async function startWeb() {
  const webhooks = new Map<number, number>()
  const server = http.createServer((request, response) => {
    request.resume()
    const run = Number(request.headers['x-crawler-run-id'] ?? 0)
    if (request.method === 'POST') webhooks.set(run, (webhooks.get(run) ?? 0) + 1)
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>One page</title>')
  })
  const { url, close } = await listening(server, address)
  return { url: `${url}/`, webhooks, close }
}

/** Creates monitors that are due only on 29 February, in as many projects as needed, and returns their ids. */
export async function makeMonitors(system: System, count: number, url: string): Promise<number[]> {
  const keys: string[] = []
  for (let n = 0; n * monitorsOfProject < count; n++)
    keys.push(await system.createProject(`due-${n}`, '--tier', 'studio', '--unlimited'))
  const numbers = Array.from({ length: count }, (_, n) => n).values()
  const ids: number[] = []
  const make = async () => {
    for (const n of numbers) {
      const key = keys[Math.floor(n / monitorsOfProject)] ?? ''
      const request = { url, max_pages: 1, delay_ms: 0, respect_robots: false, webhook_url: `${url}webhook` }
      const { status, body } = await system.call(key, 'POST', '/v1/crawls', {
        ...request,
        cron: '0 0 29 2 *',
      })
      if (status !== 201) throw new Error(`POST /v1/crawls answered ${status}: ${JSON.stringify(body)}`)
      ids.push(body.monitor_id)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, make))
  return ids
}

/** Makes the current minute due for all monitors now, and returns that minute from the database. */
export async function makeDue(pool: pg.Pool, ids: number[]): Promise<Date> {
  const { rows } = await pool.query(
    `update scheduler.monitor set next_minute = date_trunc('minute', now()), next_fires_at = now()
     where id = any($1) returning next_minute`,
    [ids],
  )
  return rows[0].next_minute
}

export type Tick = {
  monitor_id: number
  outcome: string | null
  run_id: number | null
  reason: string | null
}

export const ticksOf = async (pool: pg.Pool, ids: number[]): Promise<Tick[]> =>
  (
    await pool.query(
      `select monitor_id, outcome, run_id, reason from scheduler.tick where monitor_id = any($1)`,
      [ids],
    )
  ).rows

/** Measures calls in milliseconds until the signal aborts. */
export async function timeCalls(system: System, key: string, path: string, signal: AbortSignal) {
  const times: number[] = []
  let refused = 0
  while (!signal.aborted) {
    const from = performance.now()
    const { status } = await system.call(key, 'GET', path).catch(() => ({ status: 0 }))
    times.push(performance.now() - from)
    if (status !== 200) refused++
    await sleep(20)
  }
  times.sort((a, b) => a - b)
  return { calls: times.length, refused, p95: Math.round(times[Math.floor(times.length * 0.95)] ?? 0) }
}
