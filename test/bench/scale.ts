/**
 * `node test/bench/scale.ts [--pages N --rounds N --runs N --in-flight N --answer MS]` compares one fetcher and one
 * extractor to four and two, alternately, on a site of small, slow pages. `--in-flight` limits the concurrent requests
 * of a fetcher, so that this and not the processors is the bottleneck. docs/capacity.md has the results. Prints one
 * line of JSON per round, then the medians.
 */
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { optionsOf } from '../command-line.ts'
import { type System, startSystem } from '../e2e/system.ts'
import { startChild } from './child.ts'
import { busySeconds } from './processes.ts'
import { spread } from './table.ts'
import { startWatch } from './watch.ts'

const setups = {
  'one fetcher, one extractor': 'fetcher=1,extractor=1',
  'four fetchers, two extractors': 'fetcher=4,extractor=2',
}
type Setup = keyof typeof setups
const names = Object.keys(setups) as Setup[]

type Round = {
  setup: Setup
  pages: number
  seconds: number
  pagesPerSecond: number
  cpuSecondsPer1000: number
  /** The share of all processors that was busy, for any process. */
  busyShare: number
  othersCores: number
}

const options = {
  pages: { type: 'string', default: '1500' },
  rounds: { type: 'string', default: '3' },
  runs: { type: 'string', default: '4' },
  'in-flight': { type: 'string', default: '8' },
  answer: { type: 'string', default: '50' },
} as const
const values = optionsOf(options)
const [pages, rounds, runs] = [values.pages, values.rounds, values.runs].map(Number) as [
  number,
  number,
  number,
]

await using site = startChild('slow-site-server.ts', values.pages, values.answer)
const { url } = await site.receive<{ url: string }>()
const measured: Round[] = []
for (let number = 0; number < rounds; number++) {
  for (const setup of number % 2 === 0 ? names : names.toReversed()) {
    const round = await measure(setup)
    measured.push(round)
    process.stdout.write(`${JSON.stringify(round)}\n`)
  }
}
for (const setup of names) {
  const ofSetup = measured.filter(round => round.setup === setup)
  const median = (of: (round: Round) => number) => spread(ofSetup.map(of)).median.toPrecision(3)
  process.stdout.write(
    `${setup}: ${median(({ pagesPerSecond }) => pagesPerSecond)} pages/s, ${median(({ cpuSecondsPer1000 }) => cpuSecondsPer1000)} CPU-s for 1,000 pages, ${median(({ busyShare }) => busyShare)} of all processors busy\n`,
  )
}

async function measure(setup: Setup): Promise<Round> {
  const system = await startSystem({
    PROCESSES: 'split',
    REPLICAS: setups[setup],
    FETCH_IN_FLIGHT: values['in-flight'],
  })
  try {
    const key = await system.createProject('scaled', '--tier', 'studio', '--unlimited')
    const { pid, postgres, nats, redis, processes } = await system.runFile()
    const nodes = [pid, ...processes.map(({ pid }) => pid)]
    const servers = [postgres, nats, redis].flatMap(({ pid }) => pid ?? [])
    const stop = startWatch({ roots: [...nodes, ...servers], nodes, aside: [site.pid] })
    const busyBefore = busySeconds()
    await crawlAll(system, key)
    const { seconds, cpuSeconds, othersCores } = stop()
    const busy = busySeconds() - busyBefore
    const fetched = runs * pages
    return {
      setup,
      pages: fetched,
      seconds,
      pagesPerSecond: fetched / seconds,
      cpuSecondsPer1000: (cpuSeconds / fetched) * 1_000,
      busyShare: busy / seconds / availableParallelism(),
      othersCores,
    }
  } finally {
    await system.stop()
  }
}

/** Starts all runs at once, each over the whole site, and waits for them. Throws if one does not succeed. */
async function crawlAll({ call }: System, key: string): Promise<void> {
  const request = { url, max_pages: pages, depth: 50, delay_ms: 0, concurrency: 32 }
  const started = await Promise.all(
    Array.from({ length: runs }, () => call(key, 'POST', '/v1/crawls', request)),
  )
  for (const { status, body } of started) {
    if (status !== 202) throw new Error(`POST /v1/crawls answered ${status}: ${JSON.stringify(body)}`)
    for (;;) {
      const { body: run } = await call(key, 'GET', `/v1/crawls/${body.id}`)
      if (run.status === 'done' && run.page_count === pages) break
      if (['done', 'failed', 'cancelled'].includes(run.status))
        throw new Error(`Of ${pages} pages: ${JSON.stringify(run)}`)
      await sleep(50)
    }
  }
}
