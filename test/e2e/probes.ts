/** The inner ports of a running system: what each process says of itself, as an orchestrator asks it. */
import type { RunFile, System } from './system.ts'

export type Said = {
  status: number
  body: {
    status: 'pass' | 'fail'
    causes: { service: string; cause: string; says: string }[]
    warnings: { service: string; cause: string; says: string }[]
  }
}
export type Process = RunFile['processes'][number]
export type Path = '/livez' | '/startupz' | '/readyz'

/** Null where nobody listens. */
export async function probe(address: string | undefined, path: Path): Promise<Said | null> {
  const url = new URL(path, address)
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
  if (answer === null) return null
  return { status: answer.status, body: (await answer.json()) as Said['body'] }
}

/** Whether each process of the system that hosts this service is ready, under the numbers that it has now. */
export async function processesOf(system: System, service: string): Promise<Process[]> {
  const { processes } = await system.runFile()
  return processes.filter(({ services }) => services.includes(service))
}

export const isReady = async ({ metrics }: Pick<Process, 'metrics'>): Promise<boolean> =>
  (await probe(metrics, '/readyz'))?.status === 200
