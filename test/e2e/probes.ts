/** The metrics ports of a running system: the health of each process, as an orchestrator sees it. */
import type { RunFile, System } from './system.ts'

export type Health = {
  status: number
  body: {
    status: 'pass' | 'fail'
    causes: { service: string; cause: string; says: string }[]
    warnings: { service: string; cause: string; says: string }[]
  }
}
export type Process = RunFile['processes'][number]
export type Path = '/livez' | '/startupz' | '/readyz'

/** Returns null if no process responds at the address. */
export async function probe(address: string | undefined, path: Path): Promise<Health | null> {
  const url = new URL(path, address)
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
  if (answer === null) return null
  return { status: answer.status, body: (await answer.json()) as Health['body'] }
}

/** Returns the current processes that host a service. */
export async function processesOf(system: System, service: string): Promise<Process[]> {
  const { processes } = await system.runFile()
  return processes.filter(({ services }) => services.includes(service))
}

export const isReady = async ({ metrics }: Pick<Process, 'metrics'>): Promise<boolean> =>
  (await probe(metrics, '/readyz'))?.status === 200
