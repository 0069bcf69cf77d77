/** Makes a result fit into one message: body and picture are each in it, or in the object store for a limited time. */
import { type Fit, maxInMessage, type Travelling } from '../adapters/fit.ts'
import type { LentBodies } from '../adapters/lent-bodies.ts'
import type { BackendPage } from '../backends/backend.ts'

type Ports = { fit: Fit; lentBodies: LentBodies }

/** Content coding of a picture: none, so that it is not compressed, because PNG is compressed already. */
const asItIs = ['identity']

export type Packed = Travelling & { picture: Pick<Travelling, 'body' | 'bulkyKey'> | null }

/**
 * Returns the packed result, or null if the object store has no capacity now. When it rejects, stored objects are
 * removed.
 * @param name unique name of the result, and prefix of the keys of its objects
 */
export async function packAnswer(
  { fit, lentBodies }: Ports,
  answer: Pick<BackendPage, 'body' | 'encodings' | 'picture'>,
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
