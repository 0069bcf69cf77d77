/** Encodes and decodes the requests and responses of a remote procedure. Each receiver checks them with the schema. */
import type { Codec, RequestOf, ResponseOf, Rpc } from '@tidemark/contracts/rpc/rpc'
import { checker, decodeJson, encodeJson, jsonParser, Unreadable } from '../codec.ts'
import { decodeCompact, encodeCompact } from '../compact.ts'
import { decodeFrame, encodeFrame, type Frame } from '../frame.ts'

type Decode<Value> = (data: Uint8Array) => Value

const decoders = new WeakMap<Rpc, { request?: Decode<unknown>; response?: Decode<unknown> }>()

/** Returns the decoder of requests, which throws `Unreadable`. The first call for a procedure compiles its schema. */
export const requestDecoder = <Procedure extends Rpc>(rpc: Procedure): Decode<RequestOf<Procedure>> => {
  const kept = decodersOf(rpc)
  kept.request ??= jsonParser(rpc.request)
  return kept.request as Decode<RequestOf<Procedure>>
}

/** Returns the decoder of responses, like `requestDecoder`. It checks only the header of a frame. */
export const responseDecoder = <Procedure extends Rpc>(rpc: Procedure): Decode<ResponseOf<Procedure>> => {
  const kept = decodersOf(rpc)
  kept.response ??= compileResponse(rpc)
  return kept.response as Decode<ResponseOf<Procedure>>
}

export const encodeResponse = <Procedure extends Rpc>(
  rpc: Procedure,
  response: ResponseOf<Procedure>,
): Uint8Array => encoders[rpc.codec](response)

const encoders: Record<Codec, (response: unknown) => Uint8Array> = {
  json: response => encodeJson(response ?? null),
  compact: encodeCompact,
  frame: response => {
    const { header, blobs } = response as Frame
    return encodeFrame(header, blobs)
  },
}

function decodersOf(rpc: Rpc) {
  const kept = decoders.get(rpc) ?? {}
  decoders.set(rpc, kept)
  return kept
}

function compileResponse({ subject, response, codec }: Rpc): Decode<unknown> {
  const check = checker(response)
  const decode = { json: decodeJson, compact: decodeCompact, frame: decodeFrame }[codec]
  return data => {
    const value = decode(data)
    try {
      check(codec === 'frame' ? (value as Frame).header : value)
      return value
    } catch (error) {
      throw error instanceof Unreadable ? new Unreadable(`response of ${subject}: ${error.message}`) : error
    }
  }
}
