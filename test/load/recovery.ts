/** Checks whether a system has recovered: it is ready, idle, consistent, and no larger than before. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../../deploy/admin/open-instance.ts'
import { residentBytes } from '../bench/processes.ts'
import type { System } from '../e2e/system.ts'

/** Resident size of each process in MiB, by its name. */
export type Sizes = Record<string, number>

export async function sizesOf(system: System): Promise<Sizes> {
  const { processes, nats, redis } = await system.runFile()
  const all = [
    ...processes.map(({ services, pid }) => ({ name: services.join('+'), pid })),
    { name: 'nats', pid: nats.pid },
    { name: 'redis', pid: redis.pid },
  ]
  return Object.fromEntries(all.map(({ name, pid }) => [name, residentOf(pid)]))
}

/** Returns MiB, or 0 if the process has ended. */
const residentOf = (pid: number | null): number =>
  pid === null ? 0 : Math.round(residentBytes([pid]) / 1024 ** 2)

/** Samples the sizes until the returned function is called, which resolves to the maximum of each. */
export function watchSizes(system: System): () => Promise<Sizes> {
  const stop = new AbortController()
  const highest: Sizes = {}
  const watching = (async () => {
    while (!stop.signal.aborted) {
      for (const [name, size] of Object.entries(await sizesOf(system)))
        highest[name] = Math.max(highest[name] ?? 0, size)
      await sleep(250)
    }
  })()
  return async () => {
    stop.abort()
    await watching
    return highest
  }
}

/** Returns the pids with their services. A changed pid means that the process has died. */
export async function pidsOf(system: System): Promise<string[]> {
  const { processes } = await system.runFile()
  return processes.map(({ services, pid }) => `${services.join('+')} ${pid}`).sort()
}

/** Resolves to the seconds until no run holds a concurrency slot. Throws after `limitMs`. */
export async function untilIdle(system: System, limitMs: number): Promise<number> {
  const { postgres } = await system.runFile()
  const { pool, close } = await openPool(postgres.url)
  const began = performance.now()
  try {
    for (;;) {
      const { rows } = await pool.query(
        'select count(*)::int as held from coordinator.admission where released_at is null',
      )
      if (rows[0].held === 0) return (performance.now() - began) / 1000
      if (performance.now() - began > limitMs) throw new Error(`${rows[0].held} runs have not ended`)
      await sleep(500)
    }
  } finally {
    await close()
  }
}
