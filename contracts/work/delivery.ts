/** DELIVERIES: one webhook to deliver. What to send and how often it was tried stands in the webhook service's rows. */
import { type Static, Type } from 'typebox'
import { Id } from '../primitives.ts'

export const Delivery = Type.Object({ runId: Id })
export type Delivery = Static<typeof Delivery>
