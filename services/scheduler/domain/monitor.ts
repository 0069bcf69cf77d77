/** The state of a monitor, and the rules for its creation, its changes and its view for clients. */

import type { MonitorView } from '@tidemark/contracts/http/crons'
import type { MonitorEvent } from '@tidemark/contracts/monitor'
import type { Tier } from '@tidemark/contracts/primitives'
import type { ChangeMonitor, CreateMonitor } from '@tidemark/contracts/rpc/monitors'
import type { MonitorIntent, RunSettings, WebhookChoice } from '@tidemark/contracts/run-settings'
import { type Due, nextDue } from './due.ts'

/** A monitor as stored. Times are in ms since 1970. */
export type Monitor = {
  id: number
  projectId: number
  tier: Tier
  url: string
  schedule: string
  /** IANA time zone of the schedule. */
  timezone: string
  enabled: boolean
  settings: RunSettings
  /** Fingerprint of the settings that affect the pages; null: the monitor is older than this field. */
  likeness: string | null
  lastFiredAt: number | null
  lastRunId: number | null
  /** Status of the latest run that has ended. */
  lastStatus: string | null
  /** Number of failed ticks since the last successful run: their run failed or could not be started. */
  consecutiveFailures: number
  /** The next due minute and the time when it fires; null while disabled. */
  next: Due | null
}

export function created(monitorId: number, wanted: CreateMonitor): MonitorEvent {
  const { projectId, tier, url, schedule, timezone, settings } = wanted
  const zone = timezone === undefined ? {} : { timezone }
  return { type: 'MonitorCreated', data: { monitorId, projectId, tier, url, schedule, ...zone, settings } }
}

type Wanted = Omit<ChangeMonitor, 'projectId' | 'monitorId'>
type Change = Extract<MonitorEvent, { type: 'MonitorChanged' }>['data']

/** Returns the changed monitor and an event with the changed fields; null when nothing changes. */
export function change(
  monitor: Monitor,
  wanted: Wanted,
  now: number,
): { monitor: Monitor; event: MonitorEvent } | null {
  const { schedule, timezone, enabled, webhookUrl } = wanted
  const data = {
    ...(schedule !== undefined && schedule !== monitor.schedule && { schedule }),
    ...(timezone !== undefined && timezone !== monitor.timezone && { timezone }),
    ...(enabled !== undefined && enabled !== monitor.enabled && { enabled }),
    ...(webhookUrl !== undefined && webhookUrl !== urlOf(monitor.settings) && { webhookUrl }),
    ...changedChoice(monitor.settings, wanted),
    ...changedIntent(monitor.settings.intent ?? null, wanted),
  }
  if (Object.keys(data).length === 0) return null
  return { monitor: rescheduled(changed(monitor, data), data, now), event: { type: 'MonitorChanged', data } }
}

/** Returns whether the monitor would have no intent for `only_matching`. */
export const lacksIntent = ({ settings }: Monitor, { intent, onlyMatching }: Wanted): boolean =>
  onlyMatching === true && (intent === null || (intent === undefined && settings.intent === undefined))

/** Returns whether the monitor would have no webhook for `webhookEvents` or `onlyChanged`. */
export const lacksWebhook = ({ settings }: Monitor, wanted: Wanted): boolean =>
  (wanted.webhookEvents !== undefined || wanted.onlyChanged !== undefined) &&
  (wanted.webhookUrl === undefined ? urlOf(settings) : wanted.webhookUrl) === null

/** Returns the new choice of webhooks as a field of the event; without fields: it stays. */
function changedChoice(
  settings: RunSettings,
  { webhookEvents, onlyChanged }: Wanted,
): Pick<Change, 'webhookChoice'> {
  const stored = choiceOf(settings)
  const next = {
    ...(webhookEvents ?? eventsOf(stored)),
    onlyChanged: onlyChanged ?? stored.onlyChanged,
  }
  const isSame = next.onlyChanged === stored.onlyChanged && `${namesOf(next)}` === `${namesOf(stored)}`
  return isSame ? {} : { webhookChoice: next }
}

/** Returns the new intent as a field of the event; without fields: it stays. */
function changedIntent(
  stored: MonitorIntent | null,
  { intent: text, onlyMatching }: Wanted,
): Pick<Change, 'intent'> {
  const { text: storedText = null, onlyMatching: isStored = false } = stored ?? {}
  const next = text === undefined ? storedText : text
  const isOnly = next !== null && (onlyMatching ?? isStored)
  if (next === storedText && isOnly === isStored) return {}
  return { intent: next === null ? null : { text: next, ...(isOnly && { onlyMatching: isOnly }) } }
}

const changed = (monitor: Monitor, change: Change): Monitor => ({
  ...monitor,
  schedule: change.schedule ?? monitor.schedule,
  timezone: change.timezone ?? monitor.timezone,
  enabled: change.enabled ?? monitor.enabled,
  settings: withIntent(change.intent, withWebhook(change, monitor.settings)),
})

function withIntent(intent: MonitorIntent | null | undefined, settings: RunSettings): RunSettings {
  if (intent === undefined) return settings
  const { intent: _, ...others } = settings
  return intent === null ? others : { ...others, intent }
}

function withWebhook({ webhookUrl, webhookChoice }: Change, settings: RunSettings): RunSettings {
  const { webhook: _, ...others } = settings
  const url = webhookUrl === undefined ? urlOf(settings) : webhookUrl
  return url === null ? others : { ...others, webhook: { url, ...(webhookChoice ?? choiceOf(settings)) } }
}

/** Computes the next due minute from now, unless only the webhook or the intent changes. */
function rescheduled(monitor: Monitor, { schedule, timezone, enabled }: Change, now: number): Monitor {
  if (schedule === undefined && timezone === undefined && enabled === undefined) return monitor
  return { ...monitor, next: monitor.enabled ? nextDue(monitor, now) : null }
}

const urlOf = ({ webhook }: RunSettings): string | null => webhook?.url ?? null

function choiceOf({ webhook }: RunSettings): WebhookChoice {
  if (webhook === undefined) return { events: ['crawl.done'], onlyChanged: false }
  const { url: _, ...choice } = webhook
  return choice
}

const eventsOf = ({ events, notices }: WebhookChoice): Omit<WebhookChoice, 'onlyChanged'> => ({
  events,
  ...(notices && { notices }),
})

export const viewOf = (monitor: Monitor): MonitorView => ({
  id: monitor.id,
  schedule: monitor.schedule,
  timezone: monitor.timezone,
  url: monitor.url,
  enabled: monitor.enabled,
  last_fired_at: timestamp(monitor.lastFiredAt),
  next_fires_at: timestamp(monitor.next?.firesAt ?? null),
  last_run_id: monitor.lastRunId,
  last_status: monitor.lastStatus,
  consecutive_failures: monitor.consecutiveFailures,
  webhook_url: urlOf(monitor.settings),
  webhook_events: monitor.settings.webhook ? namesOf(monitor.settings.webhook) : null,
  return_only_changed: choiceOf(monitor.settings).onlyChanged,
  intent: monitor.settings.intent?.text ?? null,
  only_matching: monitor.settings.intent?.onlyMatching ?? false,
})

const namesOf = ({ events, notices = [] }: WebhookChoice) => [...events, ...notices]

const timestamp = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
