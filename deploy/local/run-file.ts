/**
 * Reads and writes `run.json`: the address and the processes of a running instance, for scripts, tests and `npm run
 * admin`. The file is replaced as a whole at every start and end of a process, so a reader never sees half of it.
 */
import fs from 'node:fs'
import path from 'node:path'
import { readJson } from './durable-file.ts'

/** A pid is null for an external server, and while a process of the instance is down. */
export type RunFile = {
  base_url: string
  pid: number
  postgres: { url: string; pid: number | null }
  nats: { url: string; pid: number | null }
  redis: { url: string; pid: number | null }
  /** Name of the key that the services seal with. */
  secrets_key?: string
  /** `metrics`: the URL of the process's metrics, if it exposes them. */
  processes: { name: string; services: string[]; pid: number | null; metrics?: string }[]
}

const fileIn = (dir: string) => path.join(dir, 'run.json')

export function writeRunFile(dir: string, run: RunFile): void {
  const fresh = `${fileIn(dir)}.new`
  fs.writeFileSync(fresh, `${JSON.stringify(run)}\n`, { mode: 0o600 }) // URLs may carry passwords
  fs.renameSync(fresh, fileIn(dir))
}

/** Returns the description of the instance; null: none was started here, or it was stopped. */
export const readRunFile = (dir: string): RunFile | null => readJson(fileIn(dir))

export function removeRunFile(dir: string): void {
  fs.rmSync(fileIn(dir), { force: true })
}
