/** Reads monitors and their ticks. Monitors of other projects are not found. */
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

/** Returns all monitors of a project, the oldest first. */
export const listMonitors =
  (monitors: Monitors) =>
  async ({ projectId }: ListMonitors): Promise<ListMonitorsAnswer> => ({
    monitors: (await monitors.list(projectId)).map(viewOf),
  })

/** Returns the ticks of a monitor, the latest first. */
export const listTicks =
  (read: ReadTicks) =>
  async (request: ListTicks): Promise<ListTicksAnswer> => ({ ticks: await read(request) })
