/** Reads monitors and their ticks. Monitors of other projects are not found. */
import type {
  GetMonitor,
  GetMonitorResponse,
  ListMonitors,
  ListMonitorsResponse,
  ListTicks,
  ListTicksResponse,
} from '@tidemark/contracts/rpc/monitors'
import type { Monitors } from '../adapters/monitors.ts'
import type { ReadTicks } from '../adapters/tick-list.ts'
import { viewOf } from '../domain/monitor.ts'

export const getMonitor =
  (monitors: Pick<Monitors, 'find'>) =>
  async ({ projectId, monitorId }: GetMonitor): Promise<GetMonitorResponse> => {
    const monitor = await monitors.find(projectId, monitorId)
    return { monitor: monitor && viewOf(monitor) }
  }

/** Returns all monitors of a project, the oldest first. */
export const listMonitors =
  (monitors: Monitors) =>
  async ({ projectId }: ListMonitors): Promise<ListMonitorsResponse> => ({
    monitors: (await monitors.list(projectId)).map(viewOf),
  })

/** Returns the ticks of a monitor, the latest first. */
export const listTicks =
  (read: ReadTicks) =>
  async (request: ListTicks): Promise<ListTicksResponse> => ({ ticks: await read(request) })
