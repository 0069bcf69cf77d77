/**
 * DELIVERIES: one webhook to deliver. The content and the number of attempts are in the rows of the webhook service.
 */
import { type Static, Type } from 'typebox'

/** `runId` is the negative id of a batch for its webhook. */
export const Delivery = Type.Object({ runId: Type.Integer() })
export type Delivery = Static<typeof Delivery>
