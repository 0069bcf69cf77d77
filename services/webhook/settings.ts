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
    description: 'Of these to one host; well below the former, so that a slow one does not hold the others.',
  }),
})
export type Settings = Static<typeof Settings>
