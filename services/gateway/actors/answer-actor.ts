/**
 * Runs one actor for one request. Sends its answer in the common envelope, and its progress to clients that accept
 * server-sent events. Errors before the first progress are plain responses; later errors are events.
 */
import type { Actor, ActorProgress } from '@tidemark/contracts/http/actors/actor'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { prefersEvents } from '../http/domain/accept.ts'
import { mediaTypes } from '../http/domain/list-format.ts'
import type { RowFormat } from '../http/domain/list-rows.ts'
import { envelope, type Report } from '../http/plugins/problem.ts'
import { problemOf } from '../http/requests/problem-of.ts'
import { vary } from '../http/requests/vary.ts'
import { disconnectSignal } from '../http/responses/disconnect-signal.ts'
import { sendRows } from '../http/responses/row-list.ts'
import { sendText } from '../http/responses/text-stream.ts'
import type { Contents } from '../live-pages/adapters/contents.ts'
import { newWork } from '../live-pages/read-one.ts'
import { type JsonText, objectText } from './domain/json-text.ts'
import { errorEvent, progressText, resultText } from './domain/progress-text.ts'
import { ProgressStream } from './progress-stream.ts'

export type ActorRequest = {
  request: Pick<FastifyRequest, 'id' | 'headers' | 'warnings'>
  reply: FastifyReply
  actor: Actor
  /** The subject of the request, as the answer names it. */
  url: string
}

export type ActorWork = {
  /** The id of all work for this request. The work is dropped when the signal aborts. */
  workId: number
  /** Aborts when the client has left or this gateway stops. Nothing new may begin then. */
  signal: AbortSignal
  /** Call it first after the reservation: errors before the first call have an HTTP status of their own. */
  progress: (progress: ActorProgress) => void
}

/** `path` names the file. */
type ActorLines = { format: RowFormat; rows: AsyncIterable<string>; path: string }

/** The result of an actor, after everything has been billed. */
export type ActorOutcome = {
  /** Absent: the answer is `lines` instead of JSON. */
  data?: object | JsonText
  lines?: ActorLines
  /** The page, for an actor of one page. */
  page?: { url: string; status: number }
  warnings?: readonly string[]
}

export type AnswerActor = (
  actorRequest: ActorRequest,
  work: (at: ActorWork) => Promise<ActorOutcome>,
) => Promise<FastifyReply>

const heartbeatMs = 15_000

/** Call it once. `report` receives unexpected errors that can no longer become a status. */
export function answersOfActors(
  app: App,
  { report, contents }: { report: Report; contents: Pick<Contents, 'drop'> },
): AnswerActor {
  const closing = new AbortController()
  // Some actors work for an hour, and a shutdown cannot wait for them.
  app.addHook('preClose', async () => closing.abort())

  return async (actorRequest, work) => {
    const { request, reply } = actorRequest
    const startedAt = performance.now()
    vary(reply, 'accept')
    if (!prefersEvents(request.headers.accept)) {
      const outcome = await atWork(reply, at => work({ ...at, progress: () => {} }))
      if (outcome.lines !== undefined) return sendLines(actorRequest, outcome.lines, outcome.warnings)
      const json = jsonOf(actorRequest, outcome, startedAt)
      return sendText(reply.header('content-length', json.bytes), mediaTypes.json, json.pieces())
    }
    const stream = new ProgressStream()
    const progress = (progress: ActorProgress) => stream.push(progressText(progress))
    const ended = atWork(reply, at => work({ ...at, progress }))
    await Promise.race([stream.begun, ended])
    const end = ended.then(
      outcome => resultText(jsonOf(actorRequest, outcome, startedAt)),
      error => [errorEvent(envelopeOf(error, request.id))],
    )
    const text = stream.read(end, heartbeatMs)
    return sendText(reply.headers(ofStreams), 'text/event-stream; charset=utf-8', text)
  }

  /** Removes its listeners when the work ends: they would otherwise live as long as the gateway. */
  async function atWork<Outcome>(
    reply: FastifyReply,
    work: (at: Omit<ActorWork, 'progress'>) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { workId } = newWork(1)
    const stop = new AbortController()
    const end = () => {
      if (stop.signal.aborted) return
      stop.abort()
      contents.drop(workId)
    }
    const ends = [disconnectSignal(reply), closing.signal]
    for (const signal of ends) signal.addEventListener('abort', end)
    if (ends.some(({ aborted }) => aborted)) end()
    try {
      return await work({ workId, signal: stop.signal })
    } finally {
      for (const signal of ends) signal.removeEventListener('abort', end)
    }
  }

  function envelopeOf(error: unknown, requestId: string): object {
    const problem = problemOf(error)
    if (problem.code === 'internal') report(error, requestId)
    return envelope(problem, requestId)
  }
}

/** Closes the connection with its stream: a kept connection would delay a shutdown until its idle timeout. */
const ofStreams = { 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' }

/** Lines cannot hold the warnings, so they are in a header only. */
function sendLines(
  { request, reply }: ActorRequest,
  lines: ActorLines,
  warnings: readonly string[] = [],
): FastifyReply {
  request.warnings.push(...warnings)
  return sendRows(reply, { ...lines, next: null, query: {} })
}

function jsonOf({ request, actor, url }: ActorRequest, outcome: ActorOutcome, startedAt: number): JsonText {
  const { data, page } = outcome
  const warnings = request.warnings
  warnings.push(...(outcome.warnings ?? []))
  return objectText({
    actor,
    url,
    elapsed_ms: Math.round(performance.now() - startedAt),
    data,
    final_url: page?.url,
    status_code: page?.status,
    warnings: warnings.length > 0 ? warnings : undefined,
  })
}
