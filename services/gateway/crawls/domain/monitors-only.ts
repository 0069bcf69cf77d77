/**
 * Rules for fields that apply only to monitors, or only to single crawls. Elsewhere they are ignored with a warning.
 */
import { type FieldRule, without } from './field-rule.ts'

/** Removes duplicates from `webhook_events`, and warns of events that are never sent. */
export const announcements: FieldRule = (request, { given }, warn) => {
  if (given.has('webhook_events') && request.webhook_url === undefined)
    warn('webhook_events was ignored, because there is no webhook_url')
  else if (request.webhook_events.length === 0) warn('webhook_events is empty: only failures are sent')
  else if (isOnlyDiff(request.webhook_events) && request.cron === undefined) warn(noDiff)
  return { ...request, webhook_events: [...new Set(request.webhook_events)] }
}

export const changesOfMonitors: FieldRule = (request, _, warn) => {
  if (!request.return_only_changed || request.cron !== undefined) return request
  warn('return_only_changed was ignored, because only monitors have changes: it needs cron')
  return { ...request, return_only_changed: false }
}

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

export const ageOfOneRun: FieldRule = (request, _, warn) => {
  if (request.max_age_seconds === undefined || request.cron === undefined) return request
  warn('max_age_seconds was ignored, because a monitor always starts a new crawl')
  return without(request, 'max_age_seconds')
}

const isOnlyDiff = (events: readonly string[]) =>
  events.length > 0 && events.every(event => event === 'crawl.diff_detected')

const noDiff =
  'crawl.diff_detected is never sent for a single crawl, because only monitors have changes: without crawl.done only failures are sent'
