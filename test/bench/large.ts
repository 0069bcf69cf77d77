/**
 * `node test/bench/large.ts [--pages N --links N --every N]` crawls a site of small pages. Each page has N links to
 * pages that no other page links to, so that the run knows `pages` times `links` URLs at its end. Prints a line of JSON
 * after every N pages with the duration and the memory of each process, and at the end the sizes of streams and tables.
 * docs/capacity.md has the results.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { optionsOf } from '../command-line.ts'
import { type RunFile, type System, startSystem } from '../e2e/system.ts'
import { startChild } from './child.ts'
import { megabytes, streamsOf, tablesOf } from './kept.scene.ts'
import { cpuSeconds, residentBytes, treeOf } from './processes.ts'

const options = {
  pages: { type: 'string', default: '100000' },
  links: { type: 'string', default: '10' },
  every: { type: 'string', default: '10000' },
} as const
const values = optionsOf(options)
const [pages, every] = [Number(values.pages), Number(values.every)]
const betweenLooksMs = 250

await using site = startChild('endless-site-server.ts', values.links)
const { url } = await site.receive<{ url: string }>()
const system = await startSystem({ PROCESSES: 'split' })
try {
  const key = await system.createProject('large', '--tier', 'studio', '--unlimited')
  const servers = await system.runFile()
  await crawl(system, servers, key)
  print({ streams: await streamsOf(servers), tables: await tablesOf(servers) })
} finally {
  await system.stop()
}

async function crawl({ call }: System, { pid, postgres, nats, processes }: RunFile, key: string) {
  const request = { url, max_pages: pages, depth: 50, delay_ms: 0, concurrency: 32 }
  const { status, body } = await call(key, 'POST', '/v1/crawls', request)
  if (status !== 202) throw new Error(`POST /v1/crawls answered ${status}: ${JSON.stringify(body)}`)
  const watched = [...processes, { name: 'nats', pid: nats.pid ?? pid }]
  const spent = () => cpuSeconds(treeOf([pid, nats.pid, postgres.pid].flatMap(one => one ?? [])))
  const peaks: Record<string, number> = {}
  let [last, from, cpu] = [0, performance.now(), spent()]
  for (;;) {
    await sleep(betweenLooksMs)
    for (const { name, pid } of watched)
      peaks[name] = Math.max(peaks[name] ?? 0, megabytes(residentBytes([pid])))
    const { body: run } = await call(key, 'GET', `/v1/crawls/${body.id}`)
    const isOver = ['done', 'failed', 'cancelled'].includes(run.status)
    if (run.page_count >= last + every || isOver) {
      const [count, seconds, used] = [
        run.page_count - last,
        (performance.now() - from) / 1_000,
        spent() - cpu,
      ]
      print({
        pages: run.page_count,
        seconds: round(seconds),
        pagesPerSecond: round(count / seconds),
        cpuSecondsPer1000: round((used / count) * 1_000),
        peakMB: { ...peaks },
      })
      for (const name of Object.keys(peaks)) delete peaks[name]
      last = run.page_count
      from = performance.now()
      cpu = spent()
    }
    if (isOver) {
      if (run.status !== 'done' || run.page_count !== pages) throw new Error(JSON.stringify(run))
      const { body: coverage } = await call(key, 'GET', `/v1/crawls/${run.id}/coverage`)
      return print({ stopReason: run.stop_reason, discovered: coverage.discovered })
    }
  }
}

function round(value: number): number {
  return Number(value.toPrecision(3))
}
function print(figures: object): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`)
}
