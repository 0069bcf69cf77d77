/**
 * The route that sends the events of a run as they happen, until its end. A client that returns with the id of the last
 * event gets the following ones, from any gateway and after any restart. The gateway stores nothing for it.
 */
import { RunParams, type RunView } from '@tidemark/contracts/http/crawls'
import { EventStream, EventsQuery } from '@tidemark/contracts/http/events'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { CheckCaller } from '../access/authentication.ts'
import type { App } from '../app.ts'
import { found } from '../http/domain/problem.ts'
import { refusal } from '../http/domain/refusal.ts'
import { Slots } from '../http/domain/slots.ts'
import { acquireSlot } from '../http/responses/acquire-slot.ts'
import { sendText } from '../http/responses/text-stream.ts'
import type { FollowRun } from './adapters/run-events.ts'
import { type EventId, readEventId } from './domain/run-events/id.ts'
import { opening, streamText, typesOf } from './domain/run-events/stream.ts'

export type EventPorts = {
  findRun: (projectId: number, runId: number) => Promise<RunView | null>
  followRun: FollowRun
  checkCaller: CheckCaller
  /** Maximum number of concurrent streams of a project at this gateway. */
  streamsOfProject: number
}

const heartbeatMs = 15_000
/** Milliseconds without an event after which a sampled stream sends its held events. */
const sampledIdleMs = 1000

export function eventRoutes(app: App, ports: EventPorts): void {
  const { findRun, followRun, checkCaller, streamsOfProject } = ports
  const slots = new Slots(streamsOfProject)
  const closing = new AbortController()
  // Without the abort a shutdown could wait forever for open streams.
  app.addHook('preClose', async () => closing.abort())

  app.get(
    '/v1/crawls/:id/events',
    {
      schema: {
        operationId: 'followCrawl',
        summary: 'Follow a crawl by server-sent events',
        tags: ['Crawls'],
        description:
          'Starts at the beginning of the crawl, or after `Last-Event-ID`, and closes when the crawl ends, or when its key is revoked or expires. Every event arrives exactly once.',
        params: RunParams,
        querystring: EventsQuery,
        response: {
          200: {
            'x-response-description': 'The past events, then new ones until the crawl ends.',
            content: { 'text/event-stream': { schema: EventStream } },
          },
          204: Type.Null({
            description: 'The crawl has ended, and no event follows the last one that you received.',
          }),
        },
      },
    },
    async (request, reply) => {
      const { caller, params, query, headers, warnings } = request
      const { projectId } = caller
      const { id } = params
      const after = lastEventId(headers['last-event-id'], query.last_event_id)
      if (headers['last-event-id'] && query.last_event_id) warnings.push(headerWins)
      const signal = AbortSignal.any([closing.signal, acquireSlot(slots, projectId, reply, noSlot)])
      const run = found(await findRun(projectId, id))

      const maxPerSecond = query.max_per_second ?? null
      const idleMs = maxPerSecond === null ? heartbeatMs : sampledIdleMs
      const isValid = async () => (await checkCaller(request)) !== null
      const batches = whileValid(followRun(id, { after, signal, idleMs }), isValid)
      const types = typesOf(query.types)
      const options = { types, maxPerSecond, heartbeatMs, now: () => performance.now() }
      const text = streamText(batches, options)
      if (run.finished_at === null) return sendStream(reply, text)
      const first = await text.next()
      // Clients of server-sent events reconnect after each end, but not after this status.
      if (first.done) return reply.code(204).send(null)
      return sendStream(reply, text, first.value)
    },
  )
}

/**
 * Yields the batches until the key or the share of the client becomes invalid. If the check itself fails, the stream
 * continues, because the client was valid at the start.
 */
async function* whileValid<Item>(
  batches: AsyncIterable<Item>,
  isValid: () => Promise<boolean>,
): AsyncGenerator<Item> {
  for await (const batch of batches) {
    if (!(await isValid().catch(() => true))) return
    yield batch
  }
}

const headerWins = 'last_event_id was ignored, because the header Last-Event-ID takes precedence'

const noSlot = {
  reason: 'event_streams',
  message: 'The project has reached its limit of open event streams. Close one of them first.',
} as const

function sendStream(reply: FastifyReply, text: AsyncIterable<string>, first = '') {
  // A connection that outlives its stream would delay a shutdown until its idle timeout.
  const headers = { 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' }
  return sendText(reply.headers(headers), 'text/event-stream; charset=utf-8', whole(text, first))
}

async function* whole(text: AsyncIterable<string>, first: string): AsyncGenerator<string> {
  yield opening + first
  yield* text
}

/** Returns the last event that the client has; null: none. An empty value counts as none. */
function lastEventId(header: string | string[] | undefined, requested: string | undefined): EventId | null {
  const text = (Array.isArray(header) ? header.join() : header) || requested
  if (!text) return null
  const id = readEventId(text)
  if (id === null)
    throw refusal('last_event_id', 'bad_value', 'No event has that id; send one as it was received.')
  return id
}
