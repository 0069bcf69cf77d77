/**
 * DELIVERIES: one webhook to deliver. The content and the number of attempts are in the rows of the webhook service.
 */
import { type Static, Type } from 'typebox'
import { Id } from '../primitives.ts'

const NegativeId = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 })

/** `runId` is the negative id of a batch for its webhook. */
export const Delivery = Type.Object({ runId: Type.Union([Id, NegativeId]) })
export type Delivery = Static<typeof Delivery>
