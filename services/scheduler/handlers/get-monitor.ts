/** One monitor. A foreign one is a missing one. */
import type {
  GetMonitor,
  GetMonitorAnswer,
  ListMonitors,
  ListMonitorsAnswer,
  ListTicks,
  ListTicksAnswer,
} from '@tidemark/contracts/rpc/monitors'
import type { Monitors } from '../adapters/monitors.ts'
import type { ReadTicks } from '../adapters/tick-list.ts'
import { viewOf } from '../domain/monitor.ts'

export const getMonitor =
  (monitors: Pick<Monitors, 'find'>) =>
  async ({ projectId, monitorId }: GetMonitor): Promise<GetMonitorAnswer> => {
    const monitor = await monitors.find(projectId, monitorId)
    return { monitor: monitor && viewOf(monitor) }
  }

/** All monitors of a project, the oldest first. */
export const listMonitors =
  (monitors: Monitors) =>
  async ({ projectId }: ListMonitors): Promise<ListMonitorsAnswer> => ({
    monitors: (await monitors.list(projectId)).map(viewOf),
  })

/** The ticks of a monitor, the latest first. A foreign monitor is a missing one. */
export const listTicks =
  (read: ReadTicks) =>
  async (question: ListTicks): Promise<ListTicksAnswer> => ({ ticks: await read(question) })
