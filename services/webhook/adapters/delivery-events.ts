/** Creates the events of a delivery as the contract defines them. */
import type { DeliveryEvent, DeliveryState } from '@tidemark/contracts/delivery'
import type { Outcome } from '../domain/verdict.ts'

/** The outcome of an attempt whose sender crashed. */
export const interrupted: Outcome & { error: string } = {
  status: null,
  error: 'interrupted: The service ended during this attempt.',
  isRefused: false,
  excerpt: null,
  elapsedMs: 0,
}

export const attempted = (attempt: number, { status, error, elapsedMs }: Outcome): DeliveryEvent => ({
  type: 'DeliveryAttempted',
  data: { attempt, status, error, elapsedMs: Math.round(elapsedMs) },
})

export const ended = (state: DeliveryState, attempts: number, error: string | null): DeliveryEvent => ({
  type: 'DeliveryEnded',
  data: { state, attempts, error },
})
