/** Creates monitors within the cap of their project's tier. A key that is repeated within a day returns its monitor. */
import { refuse } from '@tidemark/bus/refusal'
import { problems } from '@tidemark/contracts/problems'
import type {
  CheckSchedule,
  CreateMonitor,
  FindCreated,
  FindCreatedResponse,
  MonitorCreatedResponse,
} from '@tidemark/contracts/rpc/monitors'
import type { Clock } from '../adapters/clock.ts'
import type { Monitors } from '../adapters/monitors.ts'
import { viewOf } from '../domain/monitor.ts'
import { judgeSchedule, judgeZone } from './schedule.ts'

export type Ports = {
  clock: Clock
  monitors: Monitors
  /** Notifies the relay of a new row in the outbox. */
  publish: (outboxId: number) => void
  trace: () => string | undefined
}

const where = { status: problems.invalid_input.status, field: 'cron' }

/**
 * Rejects a bad schedule (400 `bad_cron`), an unknown time zone (400 `bad_timezone`), a monitor above the cap (429
 * `monitor_cap`), and a deleted monitor's key (409).
 */
export const createMonitor =
  ({ clock, monitors, publish, trace }: Ports) =>
  async (wanted: CreateMonitor): Promise<MonitorCreatedResponse> => {
    const now = await clock()
    judgeTimes(wanted, now)
    const result = await monitors.create(wanted, now, trace())
    switch (result.type) {
      case 'full':
        throw capReached(result.cap)
      case 'deleted':
        throw deleted()
      case 'replayed':
        return { monitor: viewOf(result.monitor), replayed: true, sameRequest: result.sameRequest }
      case 'created':
        publish(result.outboxId)
        return { monitor: viewOf(result.monitor), replayed: false, sameRequest: true }
    }
  }

/** Rejects the schedules and time zones that `createMonitor` rejects. */
export const checkSchedule =
  ({ clock }: Pick<Ports, 'clock'>) =>
  async (wanted: CheckSchedule): Promise<object> => {
    judgeTimes(wanted, await clock())
    return {}
  }

function judgeTimes({ schedule, timezone }: CheckSchedule, now: number): void {
  judgeZone(timezone, where)
  judgeSchedule(schedule, now, where)
}

/** Each 429 has a `Retry-After` (specification, Errors). Waiting alone does not help here, so it is long. */
const capRetrySeconds = 3600

const capReached = (cap: number) =>
  refuse('too_many_requests', {
    reason: 'monitor_cap',
    message: `This project has ${cap} monitors, as many as its tier allows. Delete one, or change the tier.`,
    retryAfterSeconds: capRetrySeconds,
  })

const deleted = () =>
  refuse('conflict', {
    reason: 'idempotency_key_of_deleted_monitor',
    message:
      'The monitor that this Idempotency-Key created was deleted. Use another key to create another one.',
  })

/** Returns the monitor that a key created. Rejects with 409 when it was deleted, as `createMonitor` does. */
export const findCreated =
  (monitors: Pick<Monitors, 'earlier'>) =>
  async ({ projectId, idempotencyKey, fingerprint }: FindCreated): Promise<FindCreatedResponse> => {
    const earlier = await monitors.earlier({ projectId, fingerprint: fingerprint ?? '' }, idempotencyKey)
    if (earlier === null) return { created: null }
    if (earlier.type === 'deleted') throw deleted()
    const { monitor, sameRequest } = earlier
    return { created: { monitor: viewOf(monitor), replayed: true, sameRequest } }
  }
