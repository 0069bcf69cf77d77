/** Defines the settings of webhook. */
import {
  connectionSettings,
  databaseSettings,
  egressSettings,
  secretsSettings,
} from '@tidemark/config/connections'
import { type Static, Type } from 'typebox'

export const Settings = Type.Object({
  ...connectionSettings,
  ...databaseSettings,
  ...egressSettings,
  ...secretsSettings,
  WEBHOOK_TIMEOUT_MS: Type.Integer({
    default: 15_000,
    minimum: 100,
    maximum: 120_000,
    description: 'Time for one attempt, from name resolution to the last byte of the response.',
  }),
  WEBHOOK_WAITS_MS: Type.Array(Type.Integer({ minimum: 0, maximum: 86_400_000 }), {
    default: [1_000, 2_000, 4_000, 8_000],
    minItems: 4,
    maxItems: 4,
    description: 'Waits before the second to fifth attempt, plus up to 8 % at random.',
  }),
  WEBHOOK_RETRIED_STATUSES: Type.Array(Type.Integer({ minimum: 400, maximum: 499 }), {
    default: [],
    description: '4xx statuses that are retried like 5xx, such as 408,425,429. All others are final.',
  }),
  WEBHOOK_IN_FLIGHT: Type.Integer({
    default: 512,
    minimum: 64,
    maximum: 4096,
    description: 'Concurrent deliveries in one process, over all receivers.',
  }),
  WEBHOOK_HOST_IN_FLIGHT: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 4096,
    description:
      'Concurrent new deliveries to one host. Keep it well below WEBHOOK_IN_FLIGHT, so that a slow host does not block others. Retries have the same number of slots again.',
  }),
  WEBHOOK_PROJECT_IN_FLIGHT: Type.Integer({
    default: 128,
    minimum: 1,
    maximum: 4096,
    description:
      'Concurrent new deliveries of one project over all hosts. Retries have the same number of slots again.',
  }),
  WEBHOOK_FAILURES_IN_A_ROW: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 1000,
    description:
      'Consecutive failed deliveries of a project to a host, after which the project sends it one new delivery at a time until it accepts one. Other projects are not affected. Retries keep their schedule.',
  }),
  LOG_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description: 'Days for which API calls (GET /v1/logs) and webhook attempts are kept.',
  }),
  WEBHOOK_COMPARE_MS: Type.Integer({
    default: 600_000,
    minimum: 0,
    maximum: 86_400_000,
    description:
      'Time that the end of a monitored crawl waits for its comparison, if the webhook needs it. Afterwards the webhook is sent without it.',
  }),
  WEBHOOK_PAGES_MS: Type.Integer({
    default: 3_000,
    minimum: 100,
    maximum: 600_000,
    description:
      'Time that fetched pages wait for others of their batch, if a crawl selects page.fetched. A batch of 100 pages is sent at once.',
  }),
  WEBHOOK_JUDGE_MS: Type.Integer({
    default: 120_000,
    minimum: 0,
    maximum: 3_600_000,
    description:
      'Time that a compared crawl of a monitor with an intent waits for the judgement of the language model. Afterwards the webhook is sent without it.',
  }),
})
export type Settings = Static<typeof Settings>
