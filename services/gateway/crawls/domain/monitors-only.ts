/**
 * Rules for fields that apply only to monitors, or only to single crawls. Elsewhere they are ignored with a warning.
 */
import { refusal } from '../../http/domain/refusal.ts'
import { onlyFailures } from '../../http/domain/webhook-events.ts'
import { type FieldRule, without } from './field-rule.ts'

/** Removes duplicates from `webhook_events`, and warns of events that are never sent. */
export const announcements: FieldRule = (request, { sentFields }, warn) => {
  if (sentFields.has('webhook_events') && request.webhook_url === undefined)
    warn('webhook_events was ignored, because there is no webhook_url')
  else if (request.webhook_events.length === 0) warn(onlyFailures)
  else if (isOnlyDiff(request.webhook_events) && request.cron === undefined) warn(noDiff)
  return { ...request, webhook_events: [...new Set(request.webhook_events)] }
}

export const changesOfMonitors: FieldRule = (request, _, warn) => {
  if (!request.return_only_changed) return request
  if (request.cron !== undefined) {
    if (request.webhook_url === undefined) warn(noReceiver)
    return request
  }
  warn('return_only_changed was ignored, because only monitors have changes: it needs cron')
  return { ...request, return_only_changed: false }
}

const noReceiver =
  'return_only_changed was ignored, because there is no webhook_url: a webhook that is added later reports every crawl'

export const conditionsOfMonitors: FieldRule = (request, _, warn) => {
  if (request.conditional || request.cron !== undefined) return request
  warn('conditional was ignored, because only monitors have a previous crawl: it needs cron')
  return { ...request, conditional: true }
}

export const zoneOfMonitors: FieldRule = (request, _, warn) => {
  if (request.timezone === undefined || request.cron !== undefined) return request
  warn('timezone was ignored, because only monitors have a schedule: it needs cron')
  return without(request, 'timezone')
}

export const intentOfMonitors: FieldRule = (request, _, warn) => {
  const { intent, only_matching, cron, webhook_url, store_html } = request
  const none = { ...without(request, 'intent'), only_matching: false }
  if (intent === undefined && only_matching) throw refusal('only_matching', 'conflicting_fields', noIntent)
  if (intent === undefined) return request
  if (cron === undefined) {
    warn('intent was ignored, because only monitors have changes: it needs cron')
    return none
  }
  if (!store_html) throw refusal('intent', 'conflicting_fields', noBodies)
  if (webhook_url === undefined) warn('intent has no effect until the monitor has a webhook_url')
  return request
}

const noIntent =
  'only_matching needs an intent, because changes are compared with it. Send intent, or leave only_matching out.'
const noBodies =
  'intent cannot be combined with store_html: false, because stored bodies are compared. Leave one of them out.'

export const ageOfOneRun: FieldRule = (request, _, warn) => {
  if (request.max_age_seconds === undefined || request.cron === undefined) return request
  warn('max_age_seconds was ignored, because a monitor always starts a new crawl')
  return without(request, 'max_age_seconds')
}

/** Whether the end is only announced by its differences. Other events do not announce the end. */
const isOnlyDiff = (events: readonly string[]) =>
  events.includes('crawl.diff_detected') && !events.includes('crawl.done')

const noDiff =
  'crawl.diff_detected is never sent for a single crawl, because only monitors have changes: without crawl.done only failures are sent'
