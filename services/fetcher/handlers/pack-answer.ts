/** Makes what was got fit into one message: body and picture each in it, or lent by the object store. */
import { type Fit, mostInMessage, type Travelling } from '../adapters/fit.ts'
import type { LentBodies } from '../adapters/lent-bodies.ts'
import type { Brought } from '../backends/backend.ts'

type Ports = { fit: Fit; lentBodies: LentBodies }

/** A PNG is packed already. */
const asItIs = ['identity']

export type Packed = Travelling & { picture: Pick<Travelling, 'body' | 'bulkyKey'> | null }

/**
 * Null where there is no room for it now. Nobody need take away what was stored for one that rejects.
 * @param name of its own; what is stored is found under it
 */
export async function packAnswer(
  { fit, lentBodies }: Ports,
  answer: Pick<Brought, 'body' | 'encodings' | 'picture'>,
  name: string,
  signal: AbortSignal,
): Promise<Packed | null> {
  const lend = async (travelling: Promise<Travelling | null>): Promise<Travelling | null> => {
    const { bulkyKey = null } = (await travelling) ?? {}
    if (bulkyKey !== null) {
      if (signal.aborted) lentBodies.untaken(bulkyKey)
      else lentBodies.lent(bulkyKey)
      signal.throwIfAborted()
    }
    return travelling
  }
  const body = await lend(fit(answer.body, answer.encodings, name, signal))
  if (body === null || answer.picture === undefined) return body && { ...body, picture: null }
  const left = mostInMessage - body.body.length
  const picture = await lend(fit(answer.picture, asItIs, `${name}:picture`, signal, left))
  return picture && { ...body, picture }
}
