/** The part of the table of metrics about work beside crawls: webhooks, monitors, exports and mails. */
import { type Metric, seconds } from './metric-row.ts'

export const jobMetrics = {
  'tidemark.webhook.attempt.seconds': {
    kind: 'histogram',
    unit: 's',
    description: 'Response time of webhook receivers, by result.',
    by: ['result'],
    buckets: seconds,
  },
  'tidemark.webhook.deliveries': {
    kind: 'counter',
    unit: '{delivery}',
    description: 'Webhooks that were delivered, or are dead after their last attempt.',
    by: ['state'],
  },
  'tidemark.webhook.overdue.seconds': {
    kind: 'gauge',
    unit: 's',
    description:
      'Time by which the most overdue webhook is late. Webhooks of a project to a host that fails for it do not count.',
    by: [],
  },
  'tidemark.webhook.broken_hosts': {
    kind: 'gauge',
    unit: '{host}',
    description:
      'Receiver hosts that get one delivery of a project at a time after its consecutive failures.',
    by: [],
  },
  'tidemark.monitor.ticks': {
    kind: 'counter',
    unit: '{tick}',
    description: 'Due minutes of monitors by outcome: fired, skipped, or failed and retried.',
    by: ['outcome'],
  },
  'tidemark.monitor.lateness.seconds': {
    kind: 'histogram',
    unit: 's',
    description:
      'Delay of a monitor after its due minute. Up to 60 s result from spreading monitors over the minute.',
    by: [],
    buckets: [1, 10, 30, 60, 90, 120, 300, 600, 3_600],
  },
  'tidemark.exports': {
    kind: 'counter',
    unit: '{export}',
    description: 'Exports that ended, by result: done or failed.',
    by: ['result'],
  },
  'tidemark.exports.waiting': {
    kind: 'gauge',
    unit: '{export}',
    description: 'Exports that wait for an extractor, new ones and those that are tried again.',
    by: [],
  },
  'tidemark.mails.unsent': {
    kind: 'gauge',
    unit: '{mail}',
    description: 'Unsent mails: late ones, and those without further attempts.',
    by: ['state'],
  },
} as const satisfies Record<string, Metric>
