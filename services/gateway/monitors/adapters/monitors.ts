/** Commands and questions about monitors to scheduler, who alone knows them. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { MonitorView } from '@tidemark/contracts/http/crons'
import type { ChangeMonitor, ListTicks, RunMonitor, TickView } from '@tidemark/contracts/rpc/monitors'
import * as monitorsRpc from '@tidemark/contracts/rpc/monitors'
import type { RunStartedAnswer } from '@tidemark/contracts/rpc/runs'
import { streams } from '@tidemark/contracts/subjects'
import type { ReadModelClock } from '../../read-model/adapters/projected.ts'

export type Monitors = {
  list(projectId: number): Promise<MonitorView[]>
  /** These are null when the project has no such monitor. */
  find(projectId: number, monitorId: number): Promise<MonitorView | null>
  /** The results of its due minutes, the latest first. */
  ticks(question: ListTicks): Promise<TickView[] | null>
  /** Starts a run now. Returns when it is stored and, within its limit, to be read. */
  run(command: RunMonitor): Promise<RunStartedAnswer | null>
  change(change: ChangeMonitor): Promise<MonitorView | null>
  /** False when the project has no such monitor. */
  remove(projectId: number, monitorId: number): Promise<boolean>
}

const timeoutMs = 10_000
const readYourWritesMs = 500

/** Every function throws scheduler's `Refusal`, or `unavailable` when it is away. */
export function openMonitors(bus: Bus, clock: ReadModelClock): Monitors {
  return {
    async list(projectId) {
      const question = { projectId }
      const answer = await call(bus, monitorsRpc.listMonitors, question, { timeoutMs })
      return answer.monitors
    },

    async find(projectId, monitorId) {
      const question = { projectId, monitorId }
      const answer = await call(bus, monitorsRpc.getMonitor, question, { timeoutMs })
      return answer.monitor
    },

    async ticks(question) {
      const answer = await call(bus, monitorsRpc.listTicks, question, { timeoutMs })
      return answer.ticks
    },

    async run(command) {
      const { started } = await call(bus, monitorsRpc.runMonitor, command, { timeoutMs })
      if (started !== null) await clock.waitFor(streams.runs, started.sequence, readYourWritesMs)
      return started
    },

    async change(change) {
      const answer = await call(bus, monitorsRpc.changeMonitor, change, { timeoutMs })
      return answer.monitor
    },

    async remove(projectId, monitorId) {
      const question = { projectId, monitorId }
      const answer = await call(bus, monitorsRpc.deleteMonitor, question, { timeoutMs })
      return answer.deleted
    },
  }
}
