/** Whether a system is what it was before: ready, with nothing under way, whole, and no larger. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../../deploy/admin/open-instance.ts'
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
  const sizes = await Promise.all(all.map(async ({ name, pid }) => [name, await residentOf(pid)] as const))
  return Object.fromEntries(sizes)
}

async function residentOf(pid: number | null): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024)
}

/** Looks at the sizes until it is called; the highest of each. */
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

/** Pids by services: one that differs later has died. */
export async function pidsOf(system: System): Promise<string[]> {
  const { processes } = await system.runFile()
  return processes.map(({ services, pid }) => `${services.join('+')} ${pid}`).sort()
}

/** Resolves to the seconds it took until no run holds a slot any more; throws when that lasts too long. */
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
