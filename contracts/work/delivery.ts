/**
 * DELIVERIES: one webhook to deliver. The content and the number of attempts are in the rows of the webhook service.
 */
import { type Static, Type } from 'typebox'
import { Id } from '../primitives.ts'

export const Delivery = Type.Object({ runId: Id })
export type Delivery = Static<typeof Delivery>
