/** Room for an actor's work, and for nobody who has left meanwhile. */

import { ApiProblem } from '../http/domain/problem.ts'
import type { Granted, Metering, Payer, Wanted } from '../metering/adapters/metering.ts'

/**
 * As `Metering.reserve`. Throws `ApiProblem` `unavailable`, with nothing reserved, where the signal has aborted by then:
 * an abort that came before the work began is one that no listener of the work would hear.
 */
export async function reserveUnlessGone(
  metering: Pick<Metering, 'reserve' | 'release'>,
  payer: Payer,
  wanted: Omit<Wanted, 'part'>,
  signal: AbortSignal,
): Promise<Granted> {
  const granted = await metering.reserve(payer, wanted)
  if (!signal.aborted) return granted
  await metering.release(payer, wanted.requestId)
  throw new ApiProblem('unavailable')
}
