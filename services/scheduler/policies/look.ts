/** Looks again at ticks: how a run ended that was started, and at what somebody asked for and a scheduler left undone. */
import type { Clock } from '../adapters/clock.ts'
import type { Look, Looks } from '../adapters/looks.ts'
import { type Ports as AskedPorts, settleAsked } from '../handlers/run-monitor.ts'

export type Ports = AskedPorts & { clock: Clock; looks: Looks }

/** Looks at the tick that waits for longest; false when none does. */
export const lookAtNext = (ports: Ports) => async (): Promise<boolean> => {
  const now = await ports.clock()
  const look = await ports.looks.next(now)
  if (look === null) return false
  const { tick, runId } = look
  if (runId === null) await settleAsked(ports, tick, now)
  else await follow(ports, look, runId)
  return true
}

async function follow({ runs, looks }: Ports, { tick, projectId }: Look, runId: number): Promise<void> {
  const { active, status } = await runs.stateOf(projectId, runId)
  if (!active && status !== undefined) await looks.ended(tick, status)
}
