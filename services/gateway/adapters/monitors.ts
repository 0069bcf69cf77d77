/** Commands and questions about monitors to scheduler, who alone knows them. */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type {
  ChangeMonitor,
  ChangeMonitorAnswer,
  CreateMonitor,
  DeleteMonitor,
  DeleteMonitorAnswer,
  ListMonitors,
  ListMonitorsAnswer,
  MonitorCreatedAnswer,
} from '@tidemark/contracts/ask/monitors'
import type { CrawlRequest } from '@tidemark/contracts/http/crawls'
import type { MonitorView } from '@tidemark/contracts/http/crons'
import { asks } from '@tidemark/contracts/subjects'
import { canonical } from '../domain/crawl-request.ts'

export type Monitors = {
  create(command: Omit<CreateMonitor, 'fingerprint'>, request: CrawlRequest): Promise<MonitorCreatedAnswer>
  list(projectId: number): Promise<MonitorView[]>
  /** Null when the project has no such monitor. */
  change(change: ChangeMonitor): Promise<MonitorView | null>
  /** False when the project has no such monitor. */
  remove(projectId: number, monitorId: number): Promise<boolean>
}

const timeoutMs = 10_000

/** `fingerprint` tells equal texts without telling what they are. Every function throws scheduler's `Refusal`, or `unavailable` when it is away. */
export function openMonitors(bus: Bus, fingerprint: (text: string) => string): Monitors {
  return {
    create(command, request) {
      const question = { ...command, fingerprint: fingerprint(canonical(request)) }
      return ask<CreateMonitor, MonitorCreatedAnswer>(bus, asks.createMonitor, question, { timeoutMs })
    },

    async list(projectId) {
      const question = { projectId }
      const answer = await ask<ListMonitors, ListMonitorsAnswer>(bus, asks.listMonitors, question, {
        timeoutMs,
      })
      return answer.monitors
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
