/** Commands and questions about monitors to scheduler, who alone knows them. */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type {
  ChangeMonitor,
  ChangeMonitorAnswer,
  CreateMonitor,
  DeleteMonitor,
  DeleteMonitorAnswer,
  FindCreated,
  FindCreatedAnswer,
  GetMonitor,
  GetMonitorAnswer,
  ListMonitors,
  ListMonitorsAnswer,
  ListTicks,
  ListTicksAnswer,
  MonitorCreatedAnswer,
  RunMonitor,
  RunMonitorAnswer,
  TickView,
} from '@tidemark/contracts/ask/monitors'
import type { RunStartedAnswer } from '@tidemark/contracts/ask/runs'
import type { CrawlRequest } from '@tidemark/contracts/http/crawls'
import type { MonitorView } from '@tidemark/contracts/http/crons'
import { asks, streams } from '@tidemark/contracts/subjects'
import { canonical } from '../domain/crawl-request.ts'
import type { ReadModelClock } from './projected.ts'

export type Monitors = {
  create(command: Omit<CreateMonitor, 'fingerprint'>, request: CrawlRequest): Promise<MonitorCreatedAnswer>
  /** The monitor of a key that comes back; null where it has created none. `request` is null where there was none to read. */
  findCreated(
    asked: Omit<FindCreated, 'fingerprint'>,
    request: CrawlRequest | null,
  ): Promise<MonitorCreatedAnswer | null>
  list(projectId: number): Promise<MonitorView[]>
  /** These are null when the project has no such monitor. */
  find(projectId: number, monitorId: number): Promise<MonitorView | null>
  /** What became of its due minutes, the latest first. */
  ticks(question: ListTicks): Promise<TickView[] | null>
  /** Starts a run now. Returns when it is stored and, within its limit, to be read. */
  run(command: RunMonitor): Promise<RunStartedAnswer | null>
  change(change: ChangeMonitor): Promise<MonitorView | null>
  /** False when the project has no such monitor. */
  remove(projectId: number, monitorId: number): Promise<boolean>
}

const timeoutMs = 10_000
const readYourWritesMs = 500

/** `fingerprint` tells equal texts without telling what they are. Every function throws scheduler's `Refusal`, or `unavailable` when it is away. */
export function openMonitors(
  bus: Bus,
  fingerprint: (text: string) => string,
  clock: ReadModelClock,
): Monitors {
  return {
    create(command, request) {
      const question = { ...command, fingerprint: fingerprint(canonical(request)) }
      return ask<CreateMonitor, MonitorCreatedAnswer>(bus, asks.createMonitor, question, { timeoutMs })
    },

    async findCreated(asked, request) {
      const question = { ...asked, fingerprint: request && fingerprint(canonical(request)) }
      const { created } = await ask<FindCreated, FindCreatedAnswer>(bus, asks.findCreated, question, {
        timeoutMs,
      })
      return created
    },

    async list(projectId) {
      const question = { projectId }
      const answer = await ask<ListMonitors, ListMonitorsAnswer>(bus, asks.listMonitors, question, {
        timeoutMs,
      })
      return answer.monitors
    },

    async find(projectId, monitorId) {
      const question = { projectId, monitorId }
      const answer = await ask<GetMonitor, GetMonitorAnswer>(bus, asks.getMonitor, question, { timeoutMs })
      return answer.monitor
    },

    async ticks(question) {
      const answer = await ask<ListTicks, ListTicksAnswer>(bus, asks.listTicks, question, { timeoutMs })
      return answer.ticks
    },

    async run(command) {
      const { started } = await ask<RunMonitor, RunMonitorAnswer>(bus, asks.runMonitor, command, {
        timeoutMs,
      })
      if (started !== null) await clock.waitFor(streams.runs, started.sequence, readYourWritesMs)
      return started
    },

    async change(change) {
      const answer = await ask<ChangeMonitor, ChangeMonitorAnswer>(bus, asks.changeMonitor, change, {
        timeoutMs,
      })
      return answer.monitor
    },

    async remove(projectId, monitorId) {
      const question = { projectId, monitorId }
      const answer = await ask<DeleteMonitor, DeleteMonitorAnswer>(bus, asks.deleteMonitor, question, {
        timeoutMs,
      })
      return answer.deleted
    },
  }
}
