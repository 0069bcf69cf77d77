/**
 * `run.json`: where a running instance is and which processes it has, for scripts, tests and `npm run admin`.
 * It is replaced as a whole whenever a process comes or goes, so a reader never sees half of it.
 */
import fs from 'node:fs'
import path from 'node:path'

/** A pid is null for a server that is not ours, and while a process of ours is down. */
export type RunFile = {
  base_url: string
  pid: number
  postgres: { url: string; pid: number | null }
  nats: { url: string; pid: number | null }
  redis: { url: string; pid: number | null }
  /** Name of the key that the services seal with. */
  secrets_key?: string
  /** `metrics`: where Prometheus reads those of the process, where it does. */
  processes: { name: string; services: string[]; pid: number | null; metrics?: string }[]
}

const fileIn = (dir: string) => path.join(dir, 'run.json')

export function writeRunFile(dir: string, run: RunFile): void {
  const fresh = `${fileIn(dir)}.new`
  fs.writeFileSync(fresh, `${JSON.stringify(run)}\n`, { mode: 0o600 }) // URLs may carry passwords
  fs.renameSync(fresh, fileIn(dir))
}

/** Null when no instance has been started here, or it was stopped. */
export function readRunFile(dir: string): RunFile | null {
  try {
    return JSON.parse(fs.readFileSync(fileIn(dir), 'utf8'))
  } catch {
    return null
  }
}

export function removeRunFile(dir: string): void {
  fs.rmSync(fileIn(dir), { force: true })
}
