/**
 * A request from one service to another and its response, as one value: the caller, the server, the checks at both
 * ends and the permissions on the bus are derived from it.
 */
import { type Static, type TSchema, Type } from 'typebox'
import type { ServiceName } from '../services.ts'

/**
 * The encoding of the response: JSON; `compact`, which compresses long JSON; or `frame`, a JSON header with binary
 * blobs. Requests are JSON.
 */
export type Codec = 'json' | 'compact' | 'frame'

/** `admin` is the administrator's command line. It has no limits on the bus. */
export type Caller = ServiceName | 'admin'

export type Rpc<
  Request extends TSchema = TSchema,
  Response extends TSchema = TSchema,
  Wire extends Codec = Codec,
> = {
  readonly subject: string
  readonly request: Request
  /** The schema of the response. With the codec `frame` it is the schema of the header. */
  readonly response: Response
  readonly codec: Wire
  /** The bus rejects the request from all other services. */
  readonly callers: readonly Caller[]
  /** The instances of this service share the requests. */
  readonly server: ServiceName
}

export type RequestOf<Procedure extends Rpc> = Static<Procedure['request']>

export type ResponseOf<Procedure extends Rpc> = Procedure['codec'] extends 'frame'
  ? { header: Static<Procedure['response']>; blobs: Uint8Array[] }
  : Static<Procedure['response']>

type Definition<Request extends TSchema, Response extends TSchema, Wire extends Codec> = Omit<
  Rpc<Request, Response, Wire>,
  'codec'
> & { readonly codec?: Wire }

/** Returns a procedure. The default codec is JSON. */
export function rpc<Request extends TSchema, Response extends TSchema, Wire extends Codec = 'json'>(
  definition: Definition<Request, Response, Wire>,
): Rpc<Request, Response, Wire> {
  return { codec: 'json' as Wire, ...definition }
}

/** A request or a response without content: callers send null or an empty object, and no server reads it. */
export const Nothing = Type.Unknown()
