/**
 * The expected cost of each test file. The table is committed, so that a fresh clone also starts the longest files
 * first; `npm test -- --record` writes it.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { cpuOf, type Measurement } from './measurement.ts'
import type { Cost } from './schedule.ts'

export type Costs = Readonly<Record<string, Cost>>

const table = path.join(import.meta.dirname, 'costs.json')
/** A file that was never measured starts early, and takes a whole processor. */
const unknown: Cost = { seconds: 20, cpu: 20 }

export async function readCosts(): Promise<Costs> {
  return JSON.parse(await fs.readFile(table, 'utf8'))
}

/**
 * Returns the costs on a machine of this slowness. Computing takes longer there, and waiting does not. A file whose
 * processes compute at the same time has more processor time than seconds.
 */
export const atSlowness = (costs: Costs, slowness: number): Costs =>
  Object.fromEntries(
    Object.entries(costs).map(([file, { seconds, cpu }]) => [
      file,
      {
        seconds: Math.max(seconds + cpu * (slowness - 1), seconds * Math.min(slowness, 1)),
        cpu: cpu * slowness,
      },
    ]),
  )

export const costIn = (costs: Costs, file: string): Cost => costs[file] ?? unknown

export function costOfAll(costs: Costs, files: readonly string[]): Cost {
  const all = files.map(file => costIn(costs, file))
  const sum = (of: keyof Cost) => all.reduce((total, cost) => total + cost[of], 0)
  return { seconds: sum('seconds'), cpu: sum('cpu') }
}

/** Replaces the costs of the files that were measured, and drops files that no longer exist. */
export async function recordCosts(
  measured: readonly Measurement[],
  files: readonly string[],
  slowness: number,
): Promise<void> {
  const costs = updatedCosts(await readCosts(), measured, files, slowness)
  const rows = Object.entries(costs).map(([file, cost]) => `  ${JSON.stringify(file)}: ${spaced(cost)}`)
  await fs.writeFile(table, `{\n${rows.join(',\n')}\n}\n`)
}

const spaced = ({ seconds, cpu }: Cost) => `{ "seconds": ${seconds}, "cpu": ${cpu} }`

/**
 * Returns the updated costs, sorted by file, as they are on the usual machine.
 * @param slowness of the machine that measured
 */
export function updatedCosts(
  costs: Costs,
  measured: readonly Measurement[],
  files: readonly string[],
  slowness = 1,
): Record<string, Cost> {
  const all = new Map(Object.entries(costs))
  const raw = Object.fromEntries(measured.map(one => [one.file, { seconds: one.seconds, cpu: cpuOf(one) }]))
  for (const [file, { seconds, cpu }] of Object.entries(atSlowness(raw, 1 / slowness)))
    all.set(file, { seconds: tenths(seconds), cpu: tenths(cpu) })
  const kept = [...all].filter(([file]) => files.includes(file))
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function tenths(seconds: number): number {
  return Math.round(seconds * 10) / 10
}
