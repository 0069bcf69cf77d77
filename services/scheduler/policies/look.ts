/** Checks ticks again: stores how their runs ended, and finishes requested ticks that another scheduler abandoned. */
import type { Clock } from '../adapters/clock.ts'
import type { Look, Looks } from '../adapters/looks.ts'
import { type Ports as RunPorts, settleRequest } from '../handlers/run-monitor.ts'

export type Ports = RunPorts & { clock: Clock; looks: Looks }

/** Checks the tick that has waited longest. Returns false when none is due. */
export const checkNext = (ports: Ports) => async (): Promise<boolean> => {
  const now = await ports.clock()
  const look = await ports.looks.next(now)
  if (look === null) return false
  const { tick, runId } = look
  if (runId === null) await settleRequest(ports, tick, now)
  else await follow(ports, look, runId)
  return true
}

async function follow({ runs, looks }: Ports, { tick, projectId }: Look, runId: number): Promise<void> {
  const { active, status } = await runs.stateOf(projectId, runId)
  if (!active && status !== undefined) await looks.ended(tick, status)
}
