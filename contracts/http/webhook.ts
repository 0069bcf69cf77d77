/** `/v1/webhook/secret`: what a receiver verifies `X-Crawler-Signature` with. */
import { type Static, Type } from 'typebox'

export const WebhookSecretView = Type.Object(
  {
    secret_hex: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'Its bytes are the key of HMAC-SHA256. X-Crawler-Signature is "sha256=" and the hex digest of the raw body.',
    }),
  },
  { $id: 'WebhookSecret' },
)
export type WebhookSecretView = Static<typeof WebhookSecretView>
