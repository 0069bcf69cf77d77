/**
 * Measurements beside a system: memory of its processes, response times for another project, and stalls in its logs.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentBytes } from '../bench/processes.ts'
import type { System } from './system.ts'

/** Maximum resident size of each process in MiB, by its name. */
export type Memory = Record<string, number>

/** Samples the memory of the processes in `run.json` until the returned function is called. */
export async function watchMemory(system: System, everyMs = 250) {
  const { processes, nats } = await system.runFile()
  const pids = processes.map(({ services, pid }) => ({ name: `${services[0]} ${pid}`, pid }))
  if (nats.pid !== null) pids.push({ name: 'nats', pid: nats.pid })
  const stop = new AbortController()
  const memory: Memory = {}
  const watching = (async () => {
    while (!stop.signal.aborted) {
      for (const { name, pid } of pids) memory[name] = Math.max(memory[name] ?? 0, residentMiB(pid))
      await sleep(everyMs)
    }
  })()
  return async (): Promise<Memory> => {
    stop.abort()
    await watching
    return memory
  }
}

const residentMiB = (pid: number): number => Math.round(residentBytes([pid]) / 1024 ** 2)

/**
 * The number of calls that suffices for percentiles. Later calls are rarer, because calls take processor time from the
 * measured system.
 */
const manyCalls = 200
const [pauseMs, laterPauseMs] = [10, 40]

export type Patience = { calls: number; p50: number; p95: number; max: number; refused: number }

/** Reads a run repeatedly while `continues` returns true, and returns the response times in milliseconds. */
export async function readPatiently(
  system: System,
  key: string,
  id: number,
  continues: (calls: number) => boolean,
): Promise<Patience> {
  const times: number[] = []
  let refused = 0
  while (continues(times.length)) {
    const from = performance.now()
    const { status } = await system.call(key, 'GET', `/v1/crawls/${id}`).catch(() => ({ status: 0 }))
    times.push(performance.now() - from)
    if (status !== 200) refused++
    await sleep(times.length < manyCalls ? pauseMs : laterPauseMs)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10
  return { calls: times.length, p50: at(0.5), p95: at(0.95), max: at(0.9999), refused }
}

/** An `event loop stalled` log line: its duration, and the CPU time of the process in it. */
export type Stall = { instance: string; ms: number; cpu_ms: number; time: string }

/** Returns the stalls that were logged after a time (ISO 8601). */
export async function stallsSince({ dir }: System, since: string): Promise<Stall[]> {
  const logs = join(dir, 'logs')
  const names = (await readdir(logs)).filter(name => name.includes('.log'))
  const texts = await Promise.all(names.map(name => readFile(join(logs, name), 'utf8')))
  return texts
    .flatMap(text => text.split('\n'))
    .filter(line => line.includes('event loop stalled'))
    .map((line): Stall => JSON.parse(line))
    .filter(({ time }) => time > since)
}
