/** Deletes a monitor. Runs that it started stay; none is started any more. */
import type { DeleteMonitor, DeleteMonitorAnswer } from '@tidemark/contracts/ask/monitors'
import type { Ports } from './create-monitor.ts'

export const deleteMonitor =
  ({ clock, monitors, publish }: Pick<Ports, 'clock' | 'monitors' | 'publish'>) =>
  async ({ projectId, monitorId }: DeleteMonitor): Promise<DeleteMonitorAnswer> => {
    const outboxId = await monitors.remove(projectId, monitorId, await clock())
    if (outboxId !== null) publish(outboxId)
    return { deleted: outboxId !== null }
  }
