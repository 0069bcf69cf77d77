/** Deletes a monitor. Its runs stay, and it starts no further ones. */
import type { ForgetProject, ForgottenResponse } from '@tidemark/contracts/rpc/forget'
import type { DeleteMonitor, DeleteMonitorResponse } from '@tidemark/contracts/rpc/monitors'
import type { Ports } from './create-monitor.ts'

export const deleteMonitor =
  ({ clock, monitors, publish }: Pick<Ports, 'clock' | 'monitors' | 'publish'>) =>
  async ({ projectId, monitorId }: DeleteMonitor): Promise<DeleteMonitorResponse> => {
    const outboxId = await monitors.remove(projectId, monitorId, await clock())
    if (outboxId !== null) publish(outboxId)
    return { deleted: outboxId !== null }
  }

/** Deletes all monitors of a project and the idempotency keys that created them. */
export const forgetMonitors =
  ({ clock, monitors, publish }: Pick<Ports, 'clock' | 'monitors' | 'publish'>) =>
  async ({ projectId }: ForgetProject): Promise<ForgottenResponse> => {
    let forgotten = 0
    for (const { id } of await monitors.list(projectId)) {
      const outboxId = await monitors.remove(projectId, id, await clock())
      if (outboxId === null) continue
      publish(outboxId)
      forgotten++
    }
    await monitors.forgetKeys(projectId)
    return { forgotten }
  }
