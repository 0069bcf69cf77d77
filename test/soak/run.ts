/**
 * `npm run soak [-- --minutes N --load N --slow N --collect]` runs a whole system with one process per service under a
 * constant load. It checks memory growth, open files and event loop delays. With `--slow` its extractors are that many
 * times slower, and their backlog must stay within the queues. With `--collect` each process collects garbage once a
 * minute, which adds delays, and the live heap is judged too.
 * Prints a table and a line of JSON. Exits with code 1 if a bound is exceeded.
 */
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSite } from '../bench/served-site.ts'
import { optionsOf } from '../command-line.ts'
import { type System, startSystem } from '../e2e/system.ts'
import { callAll, quantile } from './customers.ts'
import { beyond, figuresOf, tableOf } from './judged.ts'
import { sample } from './sampler.ts'
import { slowDown } from './slowed.ts'
import { streamSizes } from './streams.ts'

const collector = new URL('collector.ts', import.meta.url).href
const log = (line: string) => process.stderr.write(`${line}\n`)

/** Pages of the crawl at full speed that measures the maximum throughput. */
const sitePages = 3_000
const crawlEveryMs = 5_000
const sampleEveryMs = 2_000
/** The share of the duration that counts as warm-up. */
const warmShare = 0.25
const drainMs = 600_000

const { minutes, load, slow, collect } = readOptions()
process.exitCode = await main().catch(error => {
  log(error.stack)
  return 1
})

async function main(): Promise<number> {
  await using site = await startSite(sitePages, { hosts: 1 })
  const url = `${site.origins[0]}/`
  const alive = collect ? mkdtempSync(path.join(tmpdir(), 'tidemark-soak-')) : undefined
  const system = await startSystem({
    METRICS_PORT: String(10_000 + randomInt(6_000)),
    PROCESSES: 'split',
    ...(alive !== undefined && { SOAK_ALIVE: alive, NODE_OPTIONS: `--import=${collector}` }),
  })
  try {
    const key = await system.createProject('soaked', '--tier', 'studio', '--unlimited')
    const { id, pagesPerSecond } = await saturation(system, key, url)
    log(`${pagesPerSecond.toFixed(0)} pages per second at most; running at ${load} % for ${minutes} minutes`)
    return await soak(system, key, { url, pagesPerSecond: (pagesPerSecond * load) / 100, first: id, alive })
  } finally {
    await system.stop()
    if (alive !== undefined) rmSync(alive, { recursive: true })
  }
}

/** Crawls twice in a row and returns the second run with its pages per second. The first one is the warm-up. */
async function saturation(
  system: System,
  key: string,
  url: string,
): Promise<{ id: number; pagesPerSecond: number }> {
  const request = { url, delay_ms: 0, concurrency: 64, depth: 50, max_pages: sitePages }
  await system.crawl(key, request)
  const began = performance.now()
  const { id, page_count } = await system.crawl(key, request)
  return { id, pagesPerSecond: page_count / ((performance.now() - began) / 1_000) }
}

type Loaded = { url: string; pagesPerSecond: number; first: number; alive: string | undefined }

async function soak(
  system: System,
  key: string,
  { url, pagesPerSecond, first, alive }: Loaded,
): Promise<number> {
  const { signal, abort } = stopper(minutes * 60_000)
  const running = async () => (await system.runFile()).processes.filter(({ pid }) => pid !== null)
  const { nats } = await system.runFile()
  const extractors = async () =>
    (await running()).filter(({ services }) => services.includes('extractor')).map(({ pid }) => pid)
  const runs: number[] = []
  const latest = () => runs.at(-1) ?? first
  const [samples, called, sizes] = await Promise.all([
    sample(running, sampleEveryMs, signal, alive),
    callAll(
      system,
      key,
      [
        () => ({ method: 'GET', path: `/v1/crawls/${latest()}` }),
        () => ({ method: 'GET', path: `/v1/crawls/${latest()}/pages?limit=50` }),
        () => ({ method: 'GET', path: '/v1/crawls?limit=20' }),
        () => ({ method: 'GET', path: '/v1/usage' }),
      ],
      { lanes: 2, pauseMs: 50 },
      signal,
    ),
    streamSizes(nats.url, sampleEveryMs, signal),
    crawlEvenly(
      system,
      key,
      { url, pages: Math.round((pagesPerSecond * crawlEveryMs) / 1_000) },
      runs,
      signal,
    ),
    slow > 1 && slowDown(extractors, slow, signal),
    logTime(signal),
  ]).finally(abort)

  const lost = await untilAllDone(system, key, runs)
  const verified = (await system.admin('verify').catch(error => JSON.parse(error.stdout))) as { ok: boolean }
  const figures = figuresOf(samples, minutes * 60 * warmShare)
  const api = { calls: called.ms.length, p95: quantile(called.ms, 0.95), p99: quantile(called.ms, 0.99) }
  const full = sizes.filter(({ max, limit }) => limit > 0 && max > limit)
  const faults = [
    ...called.failures.slice(0, 10),
    ...beyond(figures, slow === 1),
    ...lost,
    ...full.map(({ name }) => `${name} exceeds its byte limit`),
    ...(verified.ok ? [] : ['verify found problems']),
  ]
  process.stdout.write(
    `${tableOf(figures)}\n\nAPI: ${api.calls} calls, p95 ${api.p95.toFixed(0)} ms, p99 ${api.p99.toFixed(0)} ms, ${called.failures.length} failed\n`,
  )
  for (const { name, max, limit } of sizes) {
    process.stdout.write(`${name}: at most ${(max / 1e6).toFixed(1)} of ${(limit / 1e6).toFixed(0)} MB\n`)
  }
  for (const fault of faults) process.stdout.write(`beyond: ${fault}\n`)
  process.stdout.write(
    `${JSON.stringify({ minutes, load, slow, runs: runs.length, pagesPerSecond, figures, api, sizes, faults })}\n`,
  )
  return faults.length === 0 ? 0 : 1
}

/** Starts a crawl of `pages` pages every 5 s, unless the project has too many runs. */
async function crawlEvenly(
  { call }: System,
  key: string,
  { url, pages }: { url: string; pages: number },
  runs: number[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const request = { url, delay_ms: 0, concurrency: 64, depth: 50, max_pages: pages }
    const { status, body } = await call(key, 'POST', '/v1/crawls', request)
    if (status === 202) runs.push(body.id)
    else if (status !== 429) throw new Error(`POST /v1/crawls answered ${status}: ${JSON.stringify(body)}`)
    await sleep(crawlEveryMs, undefined, { signal }).catch(() => {})
  }
}

/** Returns the faults of runs that have lost pages or did not end. */
async function untilAllDone({ call }: System, key: string, runs: number[]): Promise<string[]> {
  const limit = Date.now() + drainMs
  const faults: string[] = []
  for (const id of runs) {
    for (;;) {
      const { body } = await call(key, 'GET', `/v1/crawls/${id}`)
      if (body.status === 'done') {
        if (body.error_count > 0) faults.push(`run ${id} had ${body.error_count} errors`)
        break
      }
      if (['failed', 'cancelled'].includes(body.status) || Date.now() > limit) {
        faults.push(`run ${id} is ${body.status}`)
        break
      }
      await sleep(200)
    }
  }
  return faults
}

async function logTime(signal: AbortSignal): Promise<void> {
  const began = performance.now()
  while (!signal.aborted) {
    await sleep(30_000, undefined, { signal }).catch(() => {})
    log(`${((performance.now() - began) / 60_000).toFixed(1)} of ${minutes} minutes`)
  }
}

function stopper(ms: number) {
  const stop = new AbortController()
  const abort = () => stop.abort()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, abort)
  const timer = setTimeout(abort, ms)
  return {
    signal: stop.signal,
    abort() {
      clearTimeout(timer)
      abort()
    },
  }
}

function readOptions(): { minutes: number; load: number; slow: number; collect: boolean } {
  const number = (fallback: string) => ({ type: 'string', default: fallback }) as const
  const options = { minutes: number('5'), load: number('60'), slow: number('1') }
  const values = optionsOf({ ...options, collect: { type: 'boolean', default: false } })
  const read = (name: keyof typeof options, max: number) => {
    const value = Number(values[name])
    if (value > 0 && value <= max) return value
    log(`--${name} must be a number above 0, at most ${max}; it is "${values[name]}".`)
    return process.exit(2)
  }
  return {
    minutes: read('minutes', 10_000),
    load: read('load', 1_000),
    slow: read('slow', 100),
    collect: values.collect,
  }
}
