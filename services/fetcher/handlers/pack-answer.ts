/** Makes a result fit into one message: body and picture are each in it, or in the object store for a limited time. */

import type { LentBodies } from '../adapters/lent-bodies.ts'
import { maxInMessage, type PackBody, type PackedBody, pictureEncodings } from '../adapters/pack-body.ts'
import type { BackendPage } from '../backends/backend.ts'

type Ports = { packBody: PackBody; lentBodies: LentBodies }

export type PackedAnswer = PackedBody & { picture: Pick<PackedBody, 'body' | 'bulkyKey'> | null }

/**
 * Returns the packed result, or null if the object store has no capacity now. When it rejects, stored objects are
 * removed.
 * @param name unique name of the result, and prefix of the keys of its objects
 */
export async function packAnswer(
  { packBody, lentBodies }: Ports,
  answer: Pick<BackendPage, 'body' | 'encodings' | 'picture'>,
  name: string,
  signal: AbortSignal,
): Promise<PackedAnswer | null> {
  const lend = async (packed: Promise<PackedBody | null>): Promise<PackedBody | null> => {
    const { bulkyKey = null } = (await packed) ?? {}
    if (bulkyKey !== null) {
      if (signal.aborted) lentBodies.discard(bulkyKey)
      else lentBodies.lend(bulkyKey)
      signal.throwIfAborted()
    }
    return packed
  }
  const body = await lend(packBody(answer.body, answer.encodings, name, signal))
  if (body === null || answer.picture === undefined) return body && { ...body, picture: null }
  const left = maxInMessage - body.body.length
  const picture = await lend(packBody(answer.picture, pictureEncodings, `${name}:picture`, signal, left))
  return picture && { ...body, picture }
}
