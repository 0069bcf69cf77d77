/** Sends commands that create monitors to the scheduler, which owns them. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import type {
  CheckSchedule,
  CreateMonitor,
  FindCreated,
  MonitorCreatedResponse,
} from '@tidemark/contracts/rpc/monitors'
import * as monitorsRpc from '@tidemark/contracts/rpc/monitors'
import { canonical, hashesOf } from '../domain/run-settings-of-request.ts'

export type MonitorStarts = {
  create(
    command: Omit<CreateMonitor, 'fingerprint' | 'likeness'>,
    requested: { request: CrawlRequest; effective: CrawlRequest },
  ): Promise<MonitorCreatedResponse>
  /** Checks a schedule without a monitor. */
  check(wanted: CheckSchedule): Promise<void>
  /** Returns the monitor that a repeated key has created, or null. `request` is null if the body was unreadable. */
  findCreated(
    keyed: Omit<FindCreated, 'fingerprint'>,
    request: CrawlRequest | null,
  ): Promise<MonitorCreatedResponse | null>
}

const timeoutMs = 10_000

/**
 * Opens the commands. `fingerprint` returns a keyed hash, so that texts can be compared without revealing them. Throws
 * the scheduler's `Refusal`, or `unavailable` if it does not respond.
 */
export const openMonitorStarts = (bus: Bus, fingerprint: (text: string) => string): MonitorStarts => ({
  create(command, texts) {
    const start = { ...command, ...hashesOf(texts, fingerprint) }
    return call(bus, monitorsRpc.createMonitor, start, { timeoutMs })
  },

  async check(wanted) {
    await call(bus, monitorsRpc.checkSchedule, wanted, { timeoutMs })
  },

  async findCreated(keyed, request) {
    const search = { ...keyed, fingerprint: request && fingerprint(canonical(request)) }
    const { created } = await call(bus, monitorsRpc.findCreated, search, { timeoutMs })
    return created
  },
})
