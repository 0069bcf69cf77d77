/** Checks ticks again: stores how their runs ended, and finishes requested ticks that another scheduler abandoned. */
import type { Clock } from '../adapters/clock.ts'
import type { TickCheck, TickChecks } from '../adapters/tick-checks.ts'
import { type Ports as RunPorts, settleRequest } from '../handlers/run-monitor.ts'

export type Ports = RunPorts & { clock: Clock; checks: TickChecks }

/** Checks the tick that has waited longest. Returns false when none is due. */
export const checkNext = (ports: Ports) => async (): Promise<boolean> => {
  const now = await ports.clock()
  const check = await ports.checks.next(now)
  if (check === null) return false
  const { tick, runId } = check
  if (runId === null) await settleRequest(ports, tick, now)
  else await follow(ports, check, runId)
  return true
}

async function follow({ runs, checks }: Ports, { tick, projectId }: TickCheck, runId: number): Promise<void> {
  const { active, status } = await runs.stateOf(projectId, runId)
  if (!active && status !== undefined) await checks.ended(tick, status)
}
