/** The proofs of `npm run prove`, each with the promise that it shows and its commands. */
import { availableParallelism } from 'node:os'

export type Proof = {
  name: string
  /** The promise that holds if all commands succeed. */
  shows: string
  /** Commands that run at the same time, each with its arguments. */
  commands: string[][]
}

export type Sizes = {
  /** Number of simulated installations. */
  seeds: number
  /** The first seed, and the seed of the faults of real processes. */
  seed: number
  kills: number
  pages: number
  /** Minutes of even load. */
  minutes: number
  /** The version that is deployed. */
  from: string
}

const node = process.execPath
/** A test file at its full size (test/running/sizes.ts). */
const atFullSize = (file: string): string[][] => [[node, 'test/run.ts', '--full', file]]

/** Returns all proofs, the short ones first. */
export const proofsOf = (sizes: Sizes): Proof[] => [
  {
    name: 'histories',
    shows: 'Streams of earlier versions fold to the same runs, and project to the same rows and bills.',
    commands: [[node, 'test/run.ts', 'test/histories/histories.test.ts']],
  },
  {
    name: 'backup',
    shows: 'A backup that is made under load is restored, and verify finds nothing.',
    commands: atFullSize('test/e2e/backup.test.ts'),
  },
  {
    name: 'full',
    shows:
      'Requests fail with the reason while a stream or a disk is full, and crawls continue without loss afterwards.',
    commands: atFullSize('test/e2e/full.test.ts'),
  },
  {
    name: 'kills',
    shows: `Crawls of ${sizes.pages} pages lose and bill nothing twice while ${sizes.kills} processes are killed.`,
    commands: [
      [
        ...[node, 'test/chaos/run.ts', '--pages', String(sizes.pages)],
        ...['--kills', String(sizes.kills), '--seed', String(sizes.seed)],
      ],
    ],
  },
  {
    name: 'cluster',
    shows: 'Three servers of NATS lose nothing while they are killed and one is cut off.',
    commands: [
      [
        ...[node, 'test/chaos/run.ts', '--cluster', '--pages', String(sizes.pages)],
        ...['--seed', String(sizes.seed)],
      ],
    ],
  },
  {
    name: 'versions',
    shows: `A crawl continues without loss through updates from ${sizes.from} and back.`,
    commands: [[node, 'test/prove/versions.ts', '--from', sizes.from]],
  },
  {
    name: 'drains',
    shows:
      'Each service stops and starts under load, as in an update, without a failed request or a lost page.',
    commands: atFullSize('test/e2e/drain.test.ts'),
  },
  {
    name: 'two-writers',
    shows: 'A coordinator that returns after its lease has ended appends and bills nothing.',
    commands: atFullSize('test/e2e/two-writers.test.ts'),
  },
  {
    name: 'simulation',
    shows: `${sizes.seeds} simulated installations keep all promises through crashes, partitions, pauses, lost messages, full stores and clocks that jump.`,
    commands: simulations(sizes, availableParallelism()),
  },
  {
    name: 'soak',
    shows: `Memory, open files and delays stay within their bounds during ${sizes.minutes} minutes at 60 % of full load.`,
    commands: [[node, 'test/soak/run.ts', '--minutes', String(sizes.minutes), '--load', '60']],
  },
]

/** Divides the seeds among this number of processes. */
function simulations({ seed, seeds }: Sizes, processes: number): string[][] {
  const share = Math.ceil(seeds / processes)
  return Array.from({ length: processes }, (_, nth) => Math.min(share, seeds - nth * share))
    .map((count, nth) => ({ count, from: seed + nth * share }))
    .filter(({ count }) => count > 0)
    .map(({ count, from }) => [node, 'test/sim/run.ts', '--from', String(from), '--seeds', String(count)])
}
