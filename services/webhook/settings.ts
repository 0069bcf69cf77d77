/** Everything that can be set for webhook. */
import { connections, databaseConnection, egress, secrets } from '@tidemark/config/connections'
import { type Static, Type } from 'typebox'

export const Settings = Type.Object({
  ...connections,
  ...databaseConnection,
  ...egress,
  ...secrets,
  WEBHOOK_TIMEOUT_MS: Type.Integer({
    default: 15_000,
    minimum: 100,
    maximum: 120_000,
    description: 'Time for one attempt, from resolving the name to the last byte of the answer.',
  }),
  WEBHOOK_WAITS_MS: Type.Array(Type.Integer({ minimum: 0, maximum: 86_400_000 }), {
    default: [1_000, 2_000, 4_000, 8_000],
    minItems: 4,
    maxItems: 4,
    description: 'Waits before the second to the fifth attempt; up to 8 % are added by chance.',
  }),
  WEBHOOK_RETRIED_STATUSES: Type.Array(Type.Integer({ minimum: 400, maximum: 499 }), {
    default: [],
    description: 'Answers of 4xx that are tried again like a 5xx, such as 408,425,429. Any other is final.',
  }),
  WEBHOOK_IN_FLIGHT: Type.Integer({
    default: 512,
    minimum: 64,
    maximum: 4096,
    description: 'Deliveries under way at once in one process, over all receivers.',
  }),
  WEBHOOK_HOST_IN_FLIGHT: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 4096,
    description:
      'Of these new ones to one host; well below the former, so that a slow one does not hold the others. Retries have as many places again.',
  }),
  WEBHOOK_PROJECT_IN_FLIGHT: Type.Integer({
    default: 128,
    minimum: 1,
    maximum: 4096,
    description:
      'Of these new ones of one project, whatever hosts it names. Retries have as many places again.',
  }),
  WEBHOOK_FAILURES_IN_A_ROW: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 1000,
    description:
      'So many failures of a host, and it is asked one new delivery at a time until it takes one. Retries keep their times.',
  }),
  LOG_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description:
      'Days for which the calls of the API (GET /v1/logs) and every attempt to tell a webhook are kept.',
  }),
  WEBHOOK_COMPARE_MS: Type.Integer({
    default: 600_000,
    minimum: 0,
    maximum: 86_400_000,
    description:
      'How long the end of a monitored crawl waits for what has changed, where that matters; then it is told without.',
  }),
})
export type Settings = Static<typeof Settings>
