/** Reserves units for an actor's work, unless its client has left. */

import { ApiProblem } from '../http/domain/problem.ts'
import type { Granted, Metering, Payer, Wanted } from '../metering/adapters/metering.ts'

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
  if (!signal.aborted) return granted
  metering.release(payer, wanted.requestId)
  throw new ApiProblem('unavailable')
}
