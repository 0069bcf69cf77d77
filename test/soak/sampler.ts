/** Samples each process of a running system repeatedly: its memory, its open files and its event loop delay. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentBytes } from '../bench/processes.ts'
import type { RunFile } from '../e2e/system.ts'
import type { Sample } from './slope.ts'

/** Resident bytes, live bytes, a count, and milliseconds (the 99th percentile since the previous sample). */
export type Figure = 'memory' | 'alive' | 'files' | 'lag'

/** By process, then by figure. */
export type Samples = Map<string, Record<Figure, Sample[]>>

type Processes = RunFile['processes']

const collectEveryS = 60

/**
 * Samples until the signal aborts.
 * @param processes returns the current processes; a restarted one keeps its name
 * @param folder where processes with `collector.ts` write their live bytes, requested once a minute; undefined requests
 * none
 */
export async function sample(
  processes: () => Promise<Processes>,
  everyMs: number,
  signal: AbortSignal,
  folder?: string,
): Promise<Samples> {
  const samples: Samples = new Map()
  const began = performance.now()
  let collectedAt = -Infinity
  while (!signal.aborted) {
    const seconds = (performance.now() - began) / 1_000
    const all = await processes()
    await Promise.all(
      all.map(async ({ name, pid, metrics }) => {
        const of = samples.get(name) ?? { memory: [], alive: [], files: [], lag: [] }
        samples.set(name, of)
        of.memory.push({ seconds, value: residentBytes([pid]) })
        of.files.push({ seconds, value: filesOf(pid) })
        const lag = metrics === undefined ? null : await lagOf(metrics)
        if (lag !== null) of.lag.push({ seconds, value: lag })
      }),
    )
    if (folder !== undefined && seconds - collectedAt >= collectEveryS) {
      collectedAt = seconds
      await Promise.all(
        all.map(async ({ name, pid }) => {
          const value = await aliveIn(folder, pid)
          if (value !== null) samples.get(name)?.alive.push({ seconds, value })
        }),
      )
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
  return samples
}

function filesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0 // the process has just ended
  }
}

/** Returns bytes, or null if the process has ended. */
async function aliveIn(folder: string, pid: number): Promise<number | null> {
  const file = `${folder}/${pid}`
  rmSync(file, { force: true })
  try {
    process.kill(pid, 'SIGUSR2')
  } catch {
    return null
  }
  for (let left = 100; left > 0; left--) {
    await sleep(50)
    const written = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (written !== '') return Number(written)
  }
  return null
}

/** Returns milliseconds, or null if the process does not respond. */
async function lagOf(metrics: string): Promise<number | null> {
  const answer = await fetch(metrics, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
  const text = (await answer?.text().catch(() => '')) ?? ''
  const found = /^tidemark_event_loop_delay_seconds\{[^}]*quantile="p99"[^}]*\} (\S+)/m.exec(text)
  return found ? Number(found[1]) * 1_000 : null
}
