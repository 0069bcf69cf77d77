/**
 * Writes `metrics.json`: the processes of this instance as targets of Prometheus (`file_sd_configs`). The file stays
 * when the instance has stopped, so that Prometheus reports missing targets.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { RunFile } from './run-file.ts'

type Process = Pick<RunFile['processes'][number], 'name' | 'services' | 'metrics'>

export const targetsIn = (dir: string): string => path.join(dir, 'metrics.json')

/** Replaces the file as a whole, so that a reader never sees half of it. Deletes it if no process exposes metrics. */
export function writeTargets(dir: string, processes: readonly Process[]): void {
  const targets = processes.flatMap(({ name, services, metrics }) =>
    metrics === undefined
      ? []
      : [{ targets: [new URL(metrics).host], labels: { instance: name, services: services.join(', ') } }],
  )
  const file = targetsIn(dir)
  if (targets.length === 0) fs.rmSync(file, { force: true })
  else {
    fs.writeFileSync(`${file}.new`, `${JSON.stringify(targets)}\n`)
    fs.renameSync(`${file}.new`, file)
  }
}
