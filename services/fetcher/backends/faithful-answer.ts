/**
 * Reads a response of the faithful client: its header fields, and its body as a stream that is decoded and counted.
 */
import { FetchError } from '@tidemark/http/fetch-error'
import { Gathered } from '@tidemark/http/gather'
import type { Headers } from '@tidemark/http/headers'
import type { ImpitResponse } from 'impit'
import { smallBody } from '../concurrency/body-memory.ts'
import type { RequestContext } from './backend.ts'

/** Returns fields with names in lower case. Repeated fields are joined, set-cookie by a line break. */
export function fieldsOf({ headers }: ImpitResponse): Headers {
  const cookies = headers.getSetCookie()
  return {
    ...Object.fromEntries(headers),
    ...(cookies.length > 0 && { 'set-cookie': cookies.join('\n') }),
  }
}

/**
 * Returns the decoded body. Its decoded size is limited, and the rest of a longer body is not decoded.
 * @throws FetchError `too_large`; errors of the client
 */
export async function readBody(
  response: ImpitResponse,
  cuts: boolean,
  { maxBytes, bodyMemory }: Pick<RequestContext, 'maxBytes' | 'bodyMemory'>,
): Promise<Buffer> {
  const gathered = new Gathered(maxBytes, 0)
  let bytes = 0
  let claimed = smallBody
  for await (const piece of response.body) {
    bytes += piece.length
    if (!gathered.push(piece)) {
      if (!cuts) throw new FetchError('too_large', { because: `more than ${maxBytes} bytes` })
      gathered.fill(piece)
      break
    }
    if (bytes <= claimed) continue
    const isFirst = claimed === smallBody
    while (claimed < bytes) claimed *= 2
    await (isFirst ? bodyMemory.claim(claimed) : bodyMemory.grow(claimed))
  }
  return gathered.take()
}
