/** The verdict on a soak: a table for people, and the exceeded bounds. */
import { quantile } from './customers.ts'
import type { Figure, Samples } from './sampler.ts'
import { type Sample, slopeOf } from './slope.ts'

/**
 * Memory grows by less than 1 MB in ten minutes. The number of open files stays within ±5, and the event loop delay
 * stays below 100 ms.
 */
const bounds = { mbInTenMinutes: 1, files: 5, lagMs: 100, maxMB: 512 }

export type ProcessFigures = {
  name: string
  /** The maximum of all samples. The other figures exclude the warm-up. */
  maxMB: number
  mbInTenMinutes: number
  /** Live heap after a garbage collection, at the end, and its growth. Null if it was not measured. */
  alive: { mb: number; mbInTenMinutes: number } | null
  files: [min: number, max: number]
  lagMs: number
}

const mega = 1_000_000
const tenMinutes = 600

/**
 * Computes the figures of each process.
 * @param warmSeconds duration of the warm-up, in which programs are compiled and caches fill; only the maximum memory
 * includes it
 */
export function figuresOf(samples: Samples, warmSeconds: number): ProcessFigures[] {
  return [...samples].map(([name, of]) => {
    const warm = (figure: Figure) => of[figure].filter(({ seconds }) => seconds >= warmSeconds)
    const files = valuesOf(warm('files'))
    const alive = warm('alive')
    const last = alive.at(-1)
    return {
      name,
      maxMB: Math.max(...valuesOf(of.memory)) / mega,
      mbInTenMinutes: inTenMinutes(warm('memory')),
      alive: last === undefined ? null : { mb: last.value / mega, mbInTenMinutes: inTenMinutes(alive) },
      files: [Math.min(...files), Math.max(...files)],
      lagMs: quantile(valuesOf(warm('lag')), 0.99),
    }
  })
}

/**
 * Returns one line for each exceeded bound.
 * @param isEven whether the system ran at its normal speed; otherwise only the maximum memory is judged
 */
export function beyond(figures: ProcessFigures[], isEven: boolean): string[] {
  return figures.flatMap(({ name, maxMB, mbInTenMinutes, alive, files: [minFiles, maxFiles], lagMs }) => [
    ...(maxMB > bounds.maxMB ? [`${name} had ${maxMB.toFixed(0)} MB`] : []),
    ...(isEven && mbInTenMinutes >= bounds.mbInTenMinutes
      ? [`${name} grows by ${mbInTenMinutes.toFixed(2)} MB in ten minutes`]
      : []),
    ...(isEven && alive !== null && alive.mbInTenMinutes >= bounds.mbInTenMinutes
      ? [`the live heap of ${name} grows by ${alive.mbInTenMinutes.toFixed(2)} MB in ten minutes`]
      : []),
    ...(isEven && maxFiles - minFiles > 2 * bounds.files
      ? [`${name} had from ${minFiles} to ${maxFiles} files`]
      : []),
    ...(isEven && lagMs >= bounds.lagMs ? [`the event loop of ${name} was ${lagMs.toFixed(0)} ms late`] : []),
  ])
}

export function tableOf(figures: ProcessFigures[]): string {
  const rows = figures.map(({ name, maxMB, mbInTenMinutes, alive, files, lagMs }) => [
    ...[name, maxMB.toFixed(0), mbInTenMinutes.toFixed(2)],
    ...(alive === null ? ['', ''] : [alive.mb.toFixed(1), alive.mbInTenMinutes.toFixed(2)]),
    ...[files.join('–'), lagMs.toFixed(1)],
  ])
  const head = ['', 'max MB', 'MB in 10 min', 'live MB', 'live, MB in 10 min', 'files', 'lag p99, ms']
  const all = [head, ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0))) ?? []
  return all
    .map(row =>
      row
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const inTenMinutes = (samples: Sample[]) => (slopeOf(samples) * tenMinutes) / mega

const valuesOf = (samples: Sample[]) => samples.map(({ value }) => value)
