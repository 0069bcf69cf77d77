/** Questions to webhook. */
import { type Static, Type } from 'typebox'
import { Id } from '../primitives.ts'

/** The project's signing secret; made when it is first asked for. */
export const WebhookSecret = Type.Object({ projectId: Id })
export type WebhookSecret = Static<typeof WebhookSecret>

export const WebhookSecretAnswer = Type.Object({ secretHex: Type.String({ pattern: '^[0-9a-f]{64}$' }) })
export type WebhookSecretAnswer = Static<typeof WebhookSecretAnswer>
