/** The types of methods, read from the generated operations. */
import { List } from '../lists.ts'
import { type ActorOptions, callWithProgress, needsStream } from '../progress.ts'
import type { Operations } from '../schema.ts'
import type { Arguments, CallOptions, OperationId, Transport } from '../transport.ts'

/** Rows of CSV and NDJSON belong to raw responses, so a body has no `format` that selects them. */
export type Body<Op extends OperationId> = WithoutRows<Operations[Op]['body']>
type WithoutRows<Given> = Given extends { format?: infer Format }
  ? Extract<Format, 'csv' | 'ndjson'> extends never
    ? Given
    : Omit<Given, 'format'>
  : Given
/** `format` belongs to raw responses. */
export type Query<Op extends OperationId> = Omit<Operations[Op]['query'], 'format'>
type Result<Op extends OperationId> = Operations[Op]['result']
type ItemOf<Part> = Part extends { items: Array<infer Item> } | { scrapers: Array<infer Item> } ? Item : never

/** Options of a call, and the parameters of its query beside them. */
export type QueryAndOptions<Op extends OperationId> = Query<Op> & CallOptions

/** Separates the options of a call from the parameters of its query. */
export function divided(given: CallOptions & Record<string, unknown> = {}) {
  const { signal, timeout, idempotencyKey, known, headers, ...query } = given
  return { query, options: { signal, timeout, idempotencyKey, known, headers } }
}

/** Milliseconds for the responses of slow operations. Node.js ends a response that is silent for 300 s. */
const slow: Partial<Record<OperationId, number>> = {
  buildLlmsTxt: 290_000,
  auditSite: 290_000,
}

/** Returns the options of a call with the timeout that its operation needs, unless the caller sets one. */
export function optionsOf(transport: Transport, id: OperationId, options: CallOptions = {}): CallOptions {
  const least = slow[id]
  if (least === undefined || options.timeout !== undefined) return options
  return { ...options, timeout: Math.max(least, transport.settings.timeout) }
}

/** Returns the list of an operation. */
export function listOf<Op extends OperationId>(
  transport: Transport,
  id: Op,
  path: Arguments['path'],
  given: QueryAndOptions<Op> | undefined,
): List<ItemOf<Result<Op>>, Result<Op>> {
  const { query, options } = divided(given)
  return new List(transport, id, { ...(path && { path }), query }, options)
}

/** Returns a method that sends a body. */
export const posting =
  <Op extends OperationId>(transport: Transport, id: Op) =>
  (...[body, options]: BodyAndOptions<Op>): Promise<Result<Op>> =>
    transport.call(id, { body }, optionsOf(transport, id, options))

/** The body may be left out where the API needs none. */
type BodyAndOptions<Op extends OperationId> =
  undefined extends Body<Op>
    ? [body?: Body<Op>, options?: CallOptions]
    : [body: Body<Op>, options?: CallOptions]

/** Returns a method that sends the body of an actor. It reads the progress if a call wants it, or may take long. */
export const acting =
  <Op extends OperationId>(transport: Transport, id: Op) =>
  (body: Body<Op>, { onProgress, ...options }: ActorOptions = {}): Promise<Result<Op>> =>
    onProgress === undefined && !needsStream(id, body)
      ? transport.call(id, { body }, options)
      : callWithProgress(transport, id, { body }, { ...options, onProgress })

/** Returns a method that takes the id of its object. */
export const withId =
  <Op extends OperationId>(transport: Transport, id: Op) =>
  (of: number, options?: CallOptions): Promise<Result<Op>> =>
    transport.call(id, { path: { id: of } }, options)

/** Returns a method that takes the id of its object and a query, whose parameters are beside the options. */
export const withQuery =
  <Op extends OperationId>(transport: Transport, id: Op) =>
  (of: number, given?: QueryAndOptions<Op>): Promise<Result<Op>> => {
    const { query, options } = divided(given)
    return transport.call(id, { path: { id: of }, query }, options)
  }

/** Returns a method without arguments. */
export const plain =
  <Op extends OperationId>(transport: Transport, id: Op) =>
  (options?: CallOptions): Promise<Result<Op>> =>
    transport.call(id, {}, options)
