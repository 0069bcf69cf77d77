/** Reserves units for the work of a request, unless its client has left. */

import { ApiProblem } from '../http/domain/problem.ts'
import type { Granted, Metering, Payer, Wanted } from './adapters/metering.ts'

/**
 * Does the same as `Metering.reserve`. Throws `ApiProblem` `unavailable`, with nothing reserved, if the signal has aborted by
 * then: listeners that the work adds later would miss an abort that came before.
 */
export async function reserveUnlessDisconnected(
  metering: Pick<Metering, 'reserve' | 'release'>,
  payer: Payer,
  wanted: Omit<Wanted, 'part'>,
  signal: AbortSignal,
): Promise<Granted> {
  const granted = await metering.reserve(payer, wanted)
  releaseIfDisconnected(metering, payer, wanted.requestId, signal)
  return granted
}

/** Throws `ApiProblem` `unavailable` if the signal has aborted, and releases what the request has reserved. */
export function releaseIfDisconnected(
  metering: Pick<Metering, 'release'>,
  payer: Payer,
  requestId: string,
  signal: AbortSignal,
): void {
  if (!signal.aborted) return
  metering.release(payer, requestId)
  throw new ApiProblem('unavailable')
}
