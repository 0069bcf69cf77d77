/** Rounds as medians with their ranges, and the ratios between two rounds that were measured within minutes. */
import type { Peer, Peers, Round } from './round.ts'

type Spread = { median: number; min: number; max: number }

export type Summary = { [measure in Measure]: Spread }
export type Ratios = Partial<Summary>
type Measure =
  | 'pagesPerSecond'
  | 'cpuSecondsPer1000'
  | 'mbPerCpuSecond'
  | 'p50Ms'
  | 'p99Ms'
  | 'peakMB'
  | 'requestsPerPage'
  | 'othersCores'

const measures: Record<Measure, { title: string; digits: number; of: (round: Round) => number }> = {
  pagesPerSecond: { title: 'pages/s', digits: 0, of: ({ pages, seconds }) => pages / seconds },
  cpuSecondsPer1000: {
    title: 'CPU-s/1,000 pages',
    digits: 2,
    of: ({ cpuSeconds, pages }) => (cpuSeconds / pages) * 1000,
  },
  mbPerCpuSecond: {
    title: 'MB/CPU-s',
    digits: 1,
    of: ({ bytes, cpuSeconds }) => (bytes > 0 ? bytes / 1e6 / cpuSeconds : Number.NaN),
  },
  p50Ms: { title: 'p50 ms', digits: 1, of: ({ waits }) => percentile(waits, 0.5) },
  p99Ms: { title: 'p99 ms', digits: 1, of: ({ waits }) => percentile(waits, 0.99) },
  peakMB: { title: 'peak MB, Node', digits: 0, of: ({ peakBytes }) => peakBytes / 1e6 },
  requestsPerPage: { title: 'requests per page', digits: 3, of: ({ requests, pages }) => requests / pages },
  othersCores: { title: 'others, cores', digits: 2, of: ({ othersCores }) => othersCores },
}
const names = Object.keys(measures) as Measure[]
/** A ratio of the load by other processes would be meaningless. */
const compared = names.filter(name => name !== 'othersCores')

export const summaryOf = (rounds: Round[]): Summary =>
  Object.fromEntries(names.map(name => [name, spread(rounds.map(measures[name].of))])) as Summary

/** Returns a peer's figures divided by the base's, for each pair of rounds. */
export function ratiosOf(rounds: Round[], base: Peer, peer: Peer): Partial<Summary> {
  const [below, above] = [base, peer].map(name => rounds.filter(round => round.peer === name))
  const pairs = (below ?? []).flatMap((round, index) =>
    above?.[index] ? [[round, above[index]] as const] : [],
  )
  return Object.fromEntries(
    compared.map(name => {
      const { of } = measures[name]
      return [name, spread(pairs.map(([below, above]) => of(above) / of(below)))]
    }),
  )
}

/** Returns the table as text. */
export function tableOf(rounds: Round[], peers: Peers): string {
  const [base, ...others] = peers
  const all = summaryOf(rounds)
  const shownNames = names.filter(name => !Number.isNaN(all[name].median))
  const head = ['', ...shownNames.map(name => measures[name].title)]
  const lines = peers.map(peer => {
    const summary = summaryOf(rounds.filter(round => round.peer === peer))
    return [peer, ...shownNames.map(name => shown(summary[name], measures[name].digits))]
  })
  const ratios = others.map(peer => {
    const summary = ratiosOf(rounds, base, peer)
    return [`${peer}/${base}`, ...shownNames.map(name => shown(summary[name], 2))]
  })
  return aligned([head, ...lines, ...ratios])
}

/** Returns the median and the range. They are NaN without values. */
export function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  const half = (sorted.length - 1) / 2
  return { median: (at(Math.floor(half)) + at(Math.ceil(half))) / 2, min: at(0), max: at(sorted.length - 1) }
}

/** Returns NaN without values. */
function percentile(values: number[] = [], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function shown(spread: Spread | undefined, digits: number): string {
  if (!spread) return ''
  const [median, min, max] = [spread.median, spread.min, spread.max].map(value =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  )
  return `${median} (${min}–${max})`
}

function aligned(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
