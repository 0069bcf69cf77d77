/** One monitor. A foreign one is a missing one. */
import type { GetMonitor, GetMonitorAnswer } from '@tidemark/contracts/ask/monitors'
import type { Monitors } from '../adapters/monitors.ts'
import { viewOf } from '../domain/monitor.ts'

export const getMonitor =
  (monitors: Pick<Monitors, 'find'>) =>
  async ({ projectId, monitorId }: GetMonitor): Promise<GetMonitorAnswer> => {
    const monitor = await monitors.find(projectId, monitorId)
    return { monitor: monitor && viewOf(monitor) }
  }
