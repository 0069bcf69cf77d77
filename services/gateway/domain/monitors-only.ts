/** Fields that mean something to a monitor only, or to a single run only. Elsewhere they are ignored, and said to be. */
import { type FieldRule, without } from './field-rule.ts'

/** `webhook_events`, each once. */
export const announcements: FieldRule = (request, { given }, warn) => {
  if (given.has('webhook_events') && request.webhook_url === undefined)
    warn('webhook_events was ignored, because there is no webhook_url')
  else if (request.webhook_events.includes('crawl.diff_detected')) warn(noDiff)
  return { ...request, webhook_events: [...new Set(request.webhook_events)] }
}

export const changesOfMonitors: FieldRule = (request, _, warn) => {
  if (!request.return_only_changed) return request
  if (request.cron !== undefined) {
    warn(onlyFirst)
    return request
  }
  warn('return_only_changed was ignored, because only monitors have changes: it needs cron')
  return { ...request, return_only_changed: false }
}

export const ageOfOneRun: FieldRule = (request, _, warn) => {
  if (request.max_age_seconds === undefined || request.cron === undefined) return request
  warn('max_age_seconds was ignored, because a monitor always crawls anew')
  return without(request, 'max_age_seconds')
}

const noDiff =
  'crawl.diff_detected is not told yet; a run that is done is told as crawl.done where that is asked for'

const onlyFirst =
  'return_only_changed holds back the first run only; later runs are told whether or not anything changed'
