/** All monitors of a project, the oldest first. */
import type { ListMonitors, ListMonitorsAnswer } from '@tidemark/contracts/ask/monitors'
import type { Monitors } from '../adapters/monitors.ts'
import { viewOf } from '../domain/monitor.ts'

export const listMonitors =
  (monitors: Monitors) =>
  async ({ projectId }: ListMonitors): Promise<ListMonitorsAnswer> => ({
    monitors: (await monitors.list(projectId)).map(viewOf),
  })
