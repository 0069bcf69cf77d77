/** Deletes all monitors of a project that is to be forgotten, and the keys under which they were created. */
import type { ForgetProject, ForgottenAnswer } from '@tidemark/contracts/ask/forget'
import type { Ports } from './create-monitor.ts'

export const forgetMonitors =
  ({ clock, monitors, publish }: Pick<Ports, 'clock' | 'monitors' | 'publish'>) =>
  async ({ projectId }: ForgetProject): Promise<ForgottenAnswer> => {
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
