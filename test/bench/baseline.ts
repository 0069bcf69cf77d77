/** The stored ratios of Tidemark to the floor, with which a run of the bench is compared. They hold on any machine. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ratios } from './table.ts'

/** Medians by line, for example `crawl 2000`, and by measure. */
export type Baseline = Record<string, Partial<Record<Compared, number>>>
type Compared = keyof typeof isBetterHigher

const isBetterHigher = {
  pagesPerSecond: true,
  cpuSecondsPer1000: false,
  p50Ms: false,
  p99Ms: false,
  peakMB: false,
}
/** A change of up to a tenth may be caused by the machine. */
const tolerated = 0.1
const file = join(import.meta.dirname, 'baseline.json')

export const lineOf = (work: string, pages: number): string => `${work} ${pages}`

export const readBaseline = async (): Promise<Baseline> => JSON.parse(await readFile(file, 'utf8'))

/** Replaces the ratios of these lines and keeps the others. */
export async function saveBaseline(measured: Baseline): Promise<void> {
  const all = Object.entries({ ...(await readBaseline()), ...measured })
  const sorted = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  await writeFile(file, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** Returns the medians that the baseline keeps, with three digits. */
export function mediansOf(ratios: Ratios): Baseline[string] {
  const names = Object.keys(isBetterHigher) as Compared[]
  const entries = names.map(name => [name, ratios[name]?.median ?? Number.NaN] as const)
  return Object.fromEntries(
    entries
      .filter(([, median]) => !Number.isNaN(median))
      .map(([name, median]) => [name, Number(median.toPrecision(3))]),
  )
}

/** Returns one sentence for each ratio that is more than a tenth worse than the baseline's. */
export function fallenSince(baseline: Baseline, measured: Baseline): string[] {
  return Object.entries(measured).flatMap(([line, ratios]) =>
    (Object.keys(ratios) as Compared[]).flatMap(name => {
      const [before, now] = [baseline[line]?.[name], ratios[name]]
      if (before === undefined || now === undefined) return []
      const worse = isBetterHigher[name] ? 1 - now / before : now / before - 1
      return worse > tolerated
        ? [`${line}: ${name} is ${now} times the floor's; the baseline is ${before}.`]
        : []
    }),
  )
}
