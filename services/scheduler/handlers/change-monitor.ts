/** Changes a monitor's schedule, webhook, or whether it is enabled. A foreign monitor is a missing one. */
import type { ChangeMonitor, ChangeMonitorAnswer } from '@tidemark/contracts/rpc/monitors'
import { change, viewOf } from '../domain/monitor.ts'
import type { Ports } from './create-monitor.ts'
import { judgeSchedule } from './schedule.ts'

/** What the specification says of this one endpoint, where others answer 400. */
const where = { status: 422, field: 'schedule' }

/** Refuses a bad schedule of a monitor that is there: 422 `bad_cron`; and what moves a minute that is being acted upon. */
export const changeMonitor =
  ({ clock, monitors, publish }: Pick<Ports, 'clock' | 'monitors' | 'publish'>) =>
  async ({ projectId, monitorId, ...wanted }: ChangeMonitor): Promise<ChangeMonitorAnswer> => {
    const now = await clock()
    const changed = await monitors.change(projectId, monitorId, now, monitor => {
      if (wanted.schedule !== undefined) judgeSchedule(wanted.schedule, now, where)
      return change(monitor, wanted, now)
    })
    if (changed === null) return { monitor: null }
    if (changed.outboxId !== null) publish(changed.outboxId)
    return { monitor: viewOf(changed.monitor) }
  }
