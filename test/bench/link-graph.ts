/**
 * `node test/bench/link-graph.ts [--pages N --links N --rounds N]` measures the link analysis of a stored crawl, from
 * the rows in Postgres to the answer. It compares the analysis to a bare loop over typed arrays, which runs only the
 * same number of iterations of PageRank over the same links. Both alternate. Prints a line of JSON for each round with
 * its ratio, and the median of the ratios.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { createGraphThread } from '../../services/extractor/adapters/graph-thread.ts'
import { rankLinks } from '../../services/extractor/handlers/actors/rank-links.ts'
import { optionsOf } from '../command-line.ts'
import { startSystem } from '../e2e/system.ts'
import { startChild } from './child.ts'
import { targetsOf, urlsOf } from './linked-site.ts'
import { keysOf, readPackedLinks } from './packed-links.scene.ts'
import { residentBytes } from './processes.ts'

const options = {
  pages: { type: 'string', default: '100000' },
  links: { type: 'string', default: '60' },
  rounds: { type: 'string', default: '5' },
} as const
const values = optionsOf(options)
const [pages, links, rounds] = [Number(values.pages), Number(values.links), Number(values.rounds)]
/** An id that no crawl of the system has. */
const runId = 1_000_000_000
const damping = 0.85
const never = { watch: () => ({ signal: new AbortController().signal, [Symbol.dispose]() {} }) }

const system = await startSystem()
try {
  const servers = await system.runFile()
  const counts = [runId, pages, links].map(String)
  await using storing = startChild('store-links.scene.ts', servers.postgres.url, ...counts)
  await storing.receive()
  await using packedLinks = readPackedLinks(servers)
  await using graphs = createGraphThread()
  const rank = rankLinks({ graphs, packedLinks, dropped: never })
  const keys = keysOf(urlsOf(pages)).toString('base64')
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const { iterations, edges, ...graph } = await watched(() =>
      rank({ workId: -1, projectId: 1, runId, topN: 20, keys, redirects: '', start: 0 }),
    )
    await breathe()
    const bareMs = bareLoop(iterations)
    const ratio = graph.ms / bareMs
    ratios.push(ratio)
    print({ round, edges, iterations, graphMs: Math.round(graph.ms), bareMs, ratio, peakMB: graph.peakMB })
  }
  const inOrder = ratios.toSorted((a, b) => a - b)
  print({ median: inOrder[rounds >> 1], min: inOrder[0], max: inOrder.at(-1) })
} finally {
  await system.stop()
}

/** Returns the result with the duration and the peak memory of this process. */
async function watched(work: () => ReturnType<ReturnType<typeof rankLinks>>) {
  let peak = 0
  const sample = () => {
    peak = Math.max(peak, residentBytes([process.pid]))
  }
  const timer = setInterval(sample, 50)
  const from = performance.now()
  const { edges, iterations } = await work()
  const ms = performance.now() - from
  clearInterval(timer)
  return { edges, iterations, ms, peakMB: Math.round(peak / 1e6) }
}

/** Returns the duration of the iterations in milliseconds, without the preparation of the arrays. */
function bareLoop(iterations: number): number {
  const targets = targetsOf(pages, links)
  const offsets = new Uint32Array(pages + 1)
  for (const to of targets) offsets[to + 1] = (offsets[to + 1] as number) + 1
  for (let page = 0; page < pages; page++)
    offsets[page + 1] = (offsets[page + 1] as number) + (offsets[page] as number)
  const ends = offsets.slice()
  const sources = new Int32Array(targets.length)
  for (const [at, to] of targets.entries()) {
    const end = ends[to] as number
    sources[end] = Math.floor(at / links)
    ends[to] = end + 1
  }
  let scores = new Float64Array(pages).fill(1 / pages)
  let next = new Float64Array(pages)
  const from = performance.now()
  for (let n = 0; n < iterations; n++) {
    for (let page = 0, at = 0; page < pages; page++) {
      const end = offsets[page + 1] as number
      let sum = 0
      for (; at < end; at++) sum += scores[sources[at] as number] as number
      next[page] = (1 - damping) / pages + (damping * sum) / links
    }
    ;[scores, next] = [next, scores]
  }
  return Math.round(performance.now() - from)
}

function print(figures: object): void {
  process.stdout.write(
    `${JSON.stringify(figures, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value))}\n`,
  )
}
