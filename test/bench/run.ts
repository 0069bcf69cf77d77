/**
 * `npm run bench [-- --pages N --rounds N --concurrency N --traces]` compares this checkout to the floor, or with
 * --traces to itself with trace export, on a generated site of this machine. The peers alternate. Only the ratios are
 * meaningful; docs/benchmarks.md defines the figures.
 * Prints a table, then one line of JSON. Exits with code 1 if a page is missing.
 */
import { optionsOf } from '../command-line.ts'
import { startChild } from './child.ts'
import { floorRound } from './floor-round.ts'
import type { Peer, Peers, Round, Site } from './round.ts'
import { ratiosOf, summaryOf, tableOf } from './table.ts'
import { tidemarkRound } from './tidemark-round.ts'
import { startTraceSink } from './trace-sink.ts'

const log = (line: string) => process.stderr.write(`${line}\n`)

const { pages, rounds, concurrency, traces } = readOptions()
const peers: Peers = traces ? ['tidemark', 'unsampled', 'sampled'] : ['floor', 'tidemark']
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(new Error(name)))
process.exitCode = await main().catch(error => {
  log(error.stack)
  return 1
})

async function main(): Promise<number> {
  await using server = startChild('site-server.ts', String(pages))
  const { url } = await server.receive<{ url: string }>()
  const requests = async () => (await server.request<{ requests: number }>('count')).requests
  await using sink = await startTraceSink()
  const measured = await inTurns({ url, pages, pid: server.pid, requests }, sink.url)
  process.stdout.write(`${tableOf(measured, peers)}\n${JSON.stringify(report(measured), rounded)}\n`)
  return 0
}

/** Alternates the order, A B, B A, A B …, so that drift of the machine affects all peers. */
async function inTurns(site: Site, sink: string): Promise<Round[]> {
  const measured: Round[] = []
  for (let number = 0; number < rounds; number++) {
    for (const peer of number % 2 === 0 ? peers : peers.toReversed()) {
      stop.signal.throwIfAborted()
      const round = await roundOf(peer, site, sink)
      measured.push(round)
      log(`round ${number + 1} of ${rounds}: ${lineOf(round)}`)
    }
  }
  return measured
}

function roundOf(peer: Peer, site: Site, sink: string): Promise<Round> {
  if (peer === 'floor') return floorRound(site, concurrency)
  const tracing = {
    OTEL_EXPORTER_OTLP_ENDPOINT: sink,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: peer === 'sampled' ? '1' : '0',
  }
  return tidemarkRound(peer, peer === 'tidemark' ? {} : tracing, site, concurrency, stop.signal)
}

function lineOf({ peer, pages, seconds, othersCores }: Round): string {
  return `${peer}, ${pages} pages in ${seconds.toFixed(2)} s, others on ${othersCores.toFixed(2)} cores`
}

function report(measured: Round[]) {
  const [base, ...others] = peers
  const summaries = peers.map(peer => [peer, summaryOf(measured.filter(round => round.peer === peer))])
  const ratios = others.map(peer => [peer, ratiosOf(measured, base, peer)])
  return {
    ...{ pages, rounds, concurrency, base, ratios: Object.fromEntries(ratios) },
    ...Object.fromEntries(summaries),
    measured,
  }
}

/** Rounds to four digits, the precision of these measurements. */
function rounded(_name: string, value: unknown): unknown {
  const isFraction = typeof value === 'number' && !Number.isInteger(value)
  return isFraction ? Number(value.toPrecision(4)) : value
}

function readOptions(): { pages: number; rounds: number; concurrency: number; traces: boolean } {
  const number = (fallback: string) => ({ type: 'string', default: fallback }) as const
  const options = { pages: number('2000'), rounds: number('3'), concurrency: number('64') }
  const values = optionsOf({ ...options, traces: { type: 'boolean', default: false } })
  const read = (name: keyof typeof options, max: number) => {
    const value = Number(values[name])
    if (Number.isInteger(value) && value >= 1 && value <= max) return value
    log(`--${name} must be a whole number from 1 to ${max}; it is "${values[name]}".`)
    return process.exit(2)
  }
  const counts = { pages: read('pages', 100_000), rounds: read('rounds', 100) }
  return { ...counts, concurrency: read('concurrency', 512), traces: values.traces }
}
