/**
 * Changes the schedule, its time zone, the webhook or the intent of a monitor, or enables or disables it. Other projects'
 * monitors are not found.
 */
import { Refusal } from '@tidemark/bus/refusal'
import type { ChangeMonitor, ChangeMonitorResponse } from '@tidemark/contracts/rpc/monitors'
import { change, lacksIntent, lacksWebhook, viewOf } from '../domain/monitor.ts'
import type { Ports } from './create-monitor.ts'
import { assertMayContinue } from './may-continue.ts'
import { judgeSchedule, judgeZone } from './schedule.ts'

/** The specification requires 422 of this endpoint; others answer 400. */
const where = { status: 422, field: 'schedule' }

/**
 * Rejects with 422 `bad_cron` for a bad schedule, with 422 `bad_timezone` for an unknown zone, and with `unavailable`
 * for a change of a minute that is being fired. Rejects a schedule, a time zone and `enabled: true` with 409
 * `narrowed_key` if the calling key has lower caps than the monitor. Rejects with 422 `conflicting_fields` for
 * `only_matching` without an intent, for an intent without stored bodies, and for `webhook_events` or
 * `return_only_changed` without a webhook.
 */
export const changeMonitor =
  ({ clock, monitors, publish }: Pick<Ports, 'clock' | 'monitors' | 'publish'>) =>
  async ({ projectId, monitorId, keyCaps, ...wanted }: ChangeMonitor): Promise<ChangeMonitorResponse> => {
    const now = await clock()
    const changed = await monitors.change(projectId, monitorId, now, monitor => {
      judgeZone(wanted.timezone, where)
      if (wanted.schedule !== undefined) judgeSchedule(wanted.schedule, now, where)
      const { schedule, timezone, enabled } = wanted
      const movesRuns = schedule !== undefined || timezone !== undefined || enabled === true
      if (movesRuns) assertMayContinue(monitor, keyCaps)
      if (lacksWebhook(monitor, wanted)) throw noWebhook(wanted)
      if (lacksIntent(monitor, wanted)) throw noIntent()
      if (wanted.intent && !monitor.settings.storeHtml) throw noBodies()
      return change(monitor, wanted, now)
    })
    if (changed === null) return { monitor: null }
    if (changed.outboxId !== null) publish(changed.outboxId)
    return { monitor: viewOf(changed.monitor) }
  }

const conflict = (field: string, message: string) =>
  new Refusal({ status: where.status, code: 'invalid_input', reason: 'conflicting_fields', field, message })

function noWebhook({ webhookEvents }: Pick<ChangeMonitor, 'webhookEvents'>) {
  const field = webhookEvents === undefined ? 'return_only_changed' : 'webhook_events'
  return conflict(
    field,
    `${field} needs a webhook_url, and the monitor has none. Send webhook_url too, or leave ${field} out.`,
  )
}

const noIntent = () =>
  conflict(
    'only_matching',
    'only_matching needs an intent, and the monitor has none. Send intent too, or leave only_matching out.',
  )
const noBodies = () =>
  conflict(
    'intent',
    'intent needs stored bodies, and the monitor has store_html: false. Leave intent out, or create a monitor with stored bodies.',
  )
