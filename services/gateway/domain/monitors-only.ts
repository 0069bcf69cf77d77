/** Fields that mean something to a monitor only, or to a single run only. Elsewhere they are ignored, and said to be. */
import { type FieldRule, without } from './field-rule.ts'

/** `webhook_events`, each once. */
export const announcements: FieldRule = (request, { given }, warn) => {
  if (given.has('webhook_events') && request.webhook_url === undefined)
    warn('webhook_events was ignored, because there is no webhook_url')
  return { ...request, webhook_events: [...new Set(request.webhook_events)] }
}

export const changesOfMonitors: FieldRule = (request, _, warn) => {
  if (!request.return_only_changed || request.cron !== undefined) return request
  warn('return_only_changed was ignored, because only monitors have changes: it needs cron')
  return { ...request, return_only_changed: false }
}

export const ageOfOneRun: FieldRule = (request, _, warn) => {
  if (request.max_age_seconds === undefined || request.cron === undefined) return request
  warn('max_age_seconds was ignored, because a monitor always crawls anew')
  return without(request, 'max_age_seconds')
}
