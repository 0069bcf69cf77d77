/** Sends commands and requests about monitors to the scheduler, which owns them. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { MonitorView } from '@tidemark/contracts/http/crons'
import type { ChangeMonitor, ListTicks, RunMonitor, TickView } from '@tidemark/contracts/rpc/monitors'
import * as monitorsRpc from '@tidemark/contracts/rpc/monitors'
import type { RunStartedResponse } from '@tidemark/contracts/rpc/runs'
import { streams } from '@tidemark/contracts/subjects'
import type { ReadModelClock } from '../../read-model/adapters/projected.ts'

export type Monitors = {
  list(projectId: number): Promise<MonitorView[]>
  /** Returns null if the project has no such monitor, like `ticks`, `run` and `change`. */
  find(projectId: number, monitorId: number): Promise<MonitorView | null>
  /** Returns the results of its due minutes, the latest first. */
  ticks(request: ListTicks): Promise<TickView[] | null>
  /** Starts a run now. Resolves when it is stored and, within a limit, readable. */
  run(command: RunMonitor): Promise<RunStartedResponse | null>
  change(change: ChangeMonitor): Promise<MonitorView | null>
  /** Returns false if the project has no such monitor. */
  remove(projectId: number, monitorId: number): Promise<boolean>
}

const timeoutMs = 10_000
const readYourWritesMs = 500

/** Opens the requests. Every function throws the scheduler's `Refusal`, or `unavailable` if it does not respond. */
export function openMonitors(bus: Bus, clock: ReadModelClock): Monitors {
  const limit = { timeoutMs }
  return {
    list: async projectId => (await call(bus, monitorsRpc.listMonitors, { projectId }, limit)).monitors,
    find: async (projectId, monitorId) =>
      (await call(bus, monitorsRpc.getMonitor, { projectId, monitorId }, limit)).monitor,
    ticks: async request => (await call(bus, monitorsRpc.listTicks, request, limit)).ticks,
    async run(command) {
      const { started } = await call(bus, monitorsRpc.runMonitor, command, limit)
      if (started !== null) await clock.waitFor(streams.runs, started.sequence, readYourWritesMs)
      return started
    },
    change: async change => (await call(bus, monitorsRpc.changeMonitor, change, limit)).monitor,
    remove: async (projectId, monitorId) =>
      (await call(bus, monitorsRpc.deleteMonitor, { projectId, monitorId }, limit)).deleted,
  }
}
