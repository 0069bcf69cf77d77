/** Makes a result fit into one message: body and picture each in it, or lent by the object store. */
import { type Fit, maxInMessage, type Travelling } from '../adapters/fit.ts'
import type { LentBodies } from '../adapters/lent-bodies.ts'
import type { Brought } from '../backends/backend.ts'

type Ports = { fit: Fit; lentBodies: LentBodies }

/** PNG is compressed already. */
const asItIs = ['identity']

export type Packed = Travelling & { picture: Pick<Travelling, 'body' | 'bulkyKey'> | null }

/**
 * Returns null if there is no capacity now. When it rejects, it removes what it stored.
 * @param name unique; stored objects carry it
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
  const left = maxInMessage - body.body.length
  const picture = await lend(fit(answer.picture, asItIs, `${name}:picture`, signal, left))
  return picture && { ...body, picture }
}
