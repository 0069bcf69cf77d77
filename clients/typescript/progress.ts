/**
 * Calls of actors with their progress. The service sends it as server-sent events, and a comment every 15 s, so that
 * neither a proxy nor the limit of Node.js for silent responses (300 s) ends an actor that works for longer.
 */
import { ConnectionFailedError, errorOf } from './errors.ts'
import { linesOf } from './lists.ts'
import { keepMeta } from './meta.ts'
import { statuses } from './operations.ts'
import type { Operations } from './schema.ts'
import { eventsIn } from './server-sent-events.ts'
import { type Arguments, type CallOptions, contentOf, type OperationId, type Transport } from './transport.ts'

/** `done` and `total` are absent while they are unknown. */
export type Progress = { stage: string; done?: number; total?: number }

/** Options of an actor. */
export type ActorOptions = CallOptions & { onProgress?: ((progress: Progress) => void) | undefined }

/** Actors that may work for minutes, and for more than an hour on a large site. */
const longActors: ReadonlySet<OperationId> = new Set(['auditSite', 'auditSitemaps', 'checkLinks'])

/**
 * Returns whether the result is requested as server-sent events, because the actor may work for long. A result as CSV or
 * NDJSON never is.
 */
export const needsStream = (id: OperationId, body: unknown): boolean =>
  longActors.has(id) && ((body as { format?: string } | null | undefined)?.format ?? 'json') === 'json'

/** Returns the result of an actor. Its bill is not known when its headers are sent, so `metaOf(result)` has none. */
export async function callWithProgress<Op extends OperationId>(
  transport: Transport,
  id: Op,
  args: Arguments,
  { onProgress, ...options }: ActorOptions = {},
): Promise<Operations[Op]['result']> {
  const response = await transport.open(id, args, options, 'text/event-stream')
  return (await resultIn(response, onProgress)) as Operations[Op]['result']
}

/** Returns the result in the response of an actor, which is a stream or JSON. Throws the error of the stream. */
export async function resultIn(
  response: Response,
  onProgress?: (progress: Progress) => void,
): Promise<unknown> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return await contentOf(response, {}, undefined)
  for await (const { event, data } of eventsIn(linesOf(response))) {
    if (event === 'progress') onProgress?.(data as Progress)
    if (event === 'error') throw streamedError(response, data)
    if (event !== 'result') continue
    keepMeta(data, response)
    return data
  }
  throw new ConnectionFailedError('The stream ended without a result.', true)
}

/** The response had the status 200 when its stream began. */
function streamedError({ headers }: Response, data: unknown) {
  const { code = '' } = (data as { error?: { code?: string } }).error ?? {}
  return errorOf({ status: statuses[code] ?? 500, headers }, JSON.stringify(data))
}
