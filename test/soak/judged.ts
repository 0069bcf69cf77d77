/** What a soak has to show: a table for people, and what is beyond its bounds. */
import { quantile } from './customers.ts'
import type { Figure, Samples } from './sampler.ts'
import { type Sample, slopeOf } from './slope.ts'

/** Memory grows by less than 1 MB in ten minutes, files stay within 5, the event loop comes within 100 ms. */
export const bounds = { mbInTenMinutes: 1, files: 5, lagMs: 100, maxMB: 512 }

export type ProcessFigures = {
  name: string
  /** The most of all samples; the others are of those after the warm-up. */
  maxMB: number
  mbInTenMinutes: number
  /** What is alive after a collection, at its end, and how fast that grows; null where it was not asked. */
  alive: { mb: number; mbInTenMinutes: number } | null
  files: [least: number, most: number]
  lagMs: number
}

const mega = 1_000_000
const tenMinutes = 600

/** @param warmSeconds what came before is not judged but for the most memory: programs are being compiled and caches filled */
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
 * One line for each that is beyond a bound.
 * @param isEven whether the system was as it always is: else only the most memory is judged
 */
export function beyond(figures: ProcessFigures[], isEven: boolean): string[] {
  return figures.flatMap(({ name, maxMB, mbInTenMinutes, alive, files: [least, most], lagMs }) => [
    ...(maxMB > bounds.maxMB ? [`${name} had ${maxMB.toFixed(0)} MB`] : []),
    ...(isEven && mbInTenMinutes >= bounds.mbInTenMinutes
      ? [`${name} grows by ${mbInTenMinutes.toFixed(2)} MB in ten minutes`]
      : []),
    ...(isEven && alive !== null && alive.mbInTenMinutes >= bounds.mbInTenMinutes
      ? [`what is alive in ${name} grows by ${alive.mbInTenMinutes.toFixed(2)} MB in ten minutes`]
      : []),
    ...(isEven && most - least > 2 * bounds.files ? [`${name} had from ${least} to ${most} files`] : []),
    ...(isEven && lagMs >= bounds.lagMs ? [`the event loop of ${name} was ${lagMs.toFixed(0)} ms late`] : []),
  ])
}

export function tableOf(figures: ProcessFigures[]): string {
  const rows = figures.map(({ name, maxMB, mbInTenMinutes, alive, files, lagMs }) => [
    ...[name, maxMB.toFixed(0), mbInTenMinutes.toFixed(2)],
    ...(alive === null ? ['', ''] : [alive.mb.toFixed(1), alive.mbInTenMinutes.toFixed(2)]),
    ...[files.join('–'), lagMs.toFixed(1)],
  ])
  const head = ['', 'most MB', 'MB in 10 min', 'alive MB', 'alive, MB in 10 min', 'files', 'lag p99, ms']
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
