/**
 * `npm run bench [-- --work crawl,bulk | --all] [--pages N --rounds N --concurrency N --traces --save]` compares this
 * checkout to the floor, or with --traces to itself with trace export, on a generated site of this machine. The peers
 * alternate. Only the ratios are meaningful; docs/benchmarks.md defines works and figures.
 * Prints a table for each work, the ratios that are worse than the baseline, and then one line of JSON. With --save the
 * ratios become the baseline. Exits with code 1 if a page is missing.
 */
import { type Baseline, fallenSince, lineOf, mediansOf, readBaseline, saveBaseline } from './baseline.ts'
import { readOptions } from './options.ts'
import type { Peer, Peers, Round, Site } from './round.ts'
import { startSite } from './served-site.ts'
import { ratiosOf, summaryOf, tableOf } from './table.ts'
import { tidemarkRound } from './tidemark-round.ts'
import { startTraceSink } from './trace-sink.ts'
import { type WorkName, works } from './works.ts'

const log = (line: string) => process.stderr.write(`${line}\n`)
const print = (line: string) => process.stdout.write(`${line}\n`)

const { lines, rounds, concurrency, traces, save } = readOptions()
const peers: Peers = traces ? ['tidemark', 'unsampled', 'sampled'] : ['floor', 'tidemark']
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(new Error(name)))
process.exitCode = await main().catch(error => {
  log(error.stack)
  return 1
})

async function main(): Promise<number> {
  await using sink = await startTraceSink()
  const medians: Baseline = {}
  const reports: object[] = []
  for (const { work, pages } of lines) {
    await using site = await startSite(pages, works[work])
    const measured = await inTurns(work, site, sink.url)
    print(`${lineOf(work, pages)}\n${tableOf(measured, peers)}\n`)
    reports.push(report(work, pages, measured))
    if (!traces) medians[lineOf(work, pages)] = mediansOf(ratiosOf(measured, 'floor', 'tidemark'))
  }
  for (const sentence of fallenSince(await readBaseline(), medians)) print(sentence)
  if (save) await saveBaseline(medians)
  print(JSON.stringify(reports.length === 1 ? reports[0] : reports, rounded))
  return 0
}

/** Alternates the order, A B, B A, A B …, so that drift of the machine affects all peers. */
async function inTurns(work: WorkName, site: Site, sink: string): Promise<Round[]> {
  const measured: Round[] = []
  for (let number = 0; number < rounds; number++) {
    for (const peer of number % 2 === 0 ? peers : peers.toReversed()) {
      stop.signal.throwIfAborted()
      const round = await roundOf(work, peer, site, sink)
      measured.push(round)
      log(`${work}, round ${number + 1} of ${rounds}: ${described(round)}`)
    }
  }
  return measured
}

function roundOf(name: WorkName, peer: Peer, site: Site, sink: string): Promise<Round> {
  const { floor, tidemark, ...own } = works[name]
  const inFlight = 'concurrency' in own ? own.concurrency : concurrency
  if (peer === 'floor') return floor(site, inFlight)
  const tracing = {
    OTEL_EXPORTER_OTLP_ENDPOINT: sink,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: peer === 'sampled' ? '1' : '0',
  }
  const at = { site, concurrency: inFlight, signal: stop.signal }
  return tidemarkRound(tidemark, peer, peer === 'tidemark' ? {} : tracing, at)
}

function described({ peer, pages, seconds, othersCores }: Round): string {
  return `${peer}, ${pages} pages in ${seconds.toFixed(2)} s, others on ${othersCores.toFixed(2)} cores`
}

function report(work: WorkName, pages: number, all: Round[]) {
  const [base, ...others] = peers
  const measured = all.map(({ waits: _, ...round }) => round)
  const summaries = peers.map(peer => [peer, summaryOf(all.filter(round => round.peer === peer))])
  const ratios = others.map(peer => [peer, ratiosOf(all, base, peer)])
  return {
    ...{ work, pages, rounds, concurrency, base, ratios: Object.fromEntries(ratios) },
    ...Object.fromEntries(summaries),
    measured,
  }
}

/** Rounds to four digits, the precision of these measurements. */
function rounded(_name: string, value: unknown): unknown {
  const isFraction = typeof value === 'number' && !Number.isInteger(value)
  return isFraction ? Number(value.toPrecision(4)) : value
}
