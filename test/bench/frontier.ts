/**
 * `node --expose-gc test/bench/frontier.ts [--known N --characters N]` measures the memory of a run with N known URLs
 * of N characters. By default it has twice as many URLs as a run may have, none of them fetched. The run is folded from
 * its events, as after a restart. Prints a line of JSON for each quarter of the URLs. docs/capacity.md has the results.
 */
import type { FoundUrl, RunEvent } from '@tidemark/contracts/run'
import { urlKey } from '@tidemark/url/key'
import { evolve } from '../../services/crawl-coordinator/domain/evolve/evolve.ts'
import { at, queued, started } from '../../services/crawl-coordinator/domain/run.examples.ts'
import { type Run, unknown } from '../../services/crawl-coordinator/domain/run.ts'
import { optionsOf } from '../command-line.ts'

const values = optionsOf({
  known: { type: 'string', default: '1000000' },
  characters: { type: 'string', default: '64' },
})
const [known, characters] = [Number(values.known), Number(values.characters)]
/** URLs per event, as in a decision. */
const atOnce = 2_000

if (globalThis.gc === undefined) throw new Error('Run this program with --expose-gc.')
const { gc } = globalThis
let run: Run = [queued({ maxPages: known }), started].reduce<Run>(
  (run, event) => evolve(run, event, at),
  unknown,
)
gc()
const before = process.memoryUsage()
let ms = 0
for (let first = 0; first < known; first += atOnce) {
  // Parsed as from the stream, so that no strings are shared.
  const event = JSON.parse(JSON.stringify(admitted(first))) as RunEvent
  const from = performance.now()
  run = evolve(run, event, at)
  ms += performance.now() - from
  const count = first + atOnce
  if (count % (known / 4) === 0) print(count)
}

function admitted(first: number): RunEvent {
  const pages = Array.from({ length: atOnce }, (_, n): FoundUrl => {
    const url = `https://a.example/${String(first + n).padStart(characters - 'https://a.example/'.length, 'x')}`
    return { key: urlKey(url), url, depth: 1, from: null, hops: 0 }
  })
  return { type: 'PagesAdmitted', data: { pages } }
}

function print(count: number): void {
  gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const figures = {
    known: count,
    foldSeconds: Number((ms / 1_000).toPrecision(3)),
    heapMB: Math.round((heapUsed - before.heapUsed) / 1e6),
    bytesEach: Math.round((heapUsed - before.heapUsed) / count),
    rssMB: Math.round(rss / 1e6),
    status: run.status,
  }
  process.stdout.write(`${JSON.stringify(figures)}\n`)
}
