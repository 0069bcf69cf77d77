/**
 * Runs an actor with its progress, and keeps its result while the console is open: a call is billed, so leaving a screen
 * neither ends it nor loses what it found.
 */
import { type Signal, signal } from '@preact/signals'
import { errorOf, type OperationId, type Operations } from '@tidemark/sdk'
import { tidemark } from './client.ts'
import { session } from './session.ts'

type Actor = Extract<OperationId, 'auditSite' | 'analyseLinkGraph'>
type Progress = { stage: string; done?: number; total?: number | null }

export type ActorWork<Answer> = {
  answer: Signal<Answer | null>
  /** Null: the actor does not work. */
  progress: Signal<Progress | null>
  error: Signal<unknown>
  /** Starts the actor, which costs one page. Does nothing while it works. */
  run: () => Promise<void>
}

/** An actor may work for 15 minutes, and sends a comment every 15 s. */
const silentMs = 60_000

const works = new Map<string, unknown>()

/** Returns the work for a body: the same one for the same reader. */
export function actorWork<Op extends Actor>(
  id: Op,
  body: Operations[Op]['body'],
): ActorWork<Operations[Op]['result']> {
  const reader = session.value.state === 'in' ? session.value.prefix : ''
  const key = JSON.stringify([reader, id, body])
  const work = (works.get(key) ?? newWork(id, body)) as ActorWork<Operations[Op]['result']>
  works.set(key, work)
  return work
}

function newWork<Op extends Actor>(
  id: Op,
  body: Operations[Op]['body'],
): ActorWork<Operations[Op]['result']> {
  const answer = signal<Operations[Op]['result'] | null>(null)
  const progress = signal<Progress | null>(null)
  const error = signal<unknown>(null)
  const run = async () => {
    if (progress.value !== null) return
    progress.value = { stage: 'starting' }
    error.value = null
    try {
      answer.value = await resultOf<Operations[Op]['result']>(id, body, news => (progress.value = news))
    } catch (failure) {
      error.value = failure
    } finally {
      progress.value = null
    }
  }
  return { answer, progress, error, run }
}

async function resultOf<Answer>(
  id: Actor,
  body: object,
  onProgress: (progress: Progress) => void,
): Promise<Answer> {
  const response = await tidemark.request(id, { body }, 'text/event-stream', { timeout: silentMs })
  for await (const { event, data } of eventsOf(response)) {
    if (event === 'progress') onProgress(JSON.parse(data))
    if (event === 'result') return JSON.parse(data)
    if (event === 'error') throw errorOf(response, data)
  }
  throw new Error('The connection closed before the actor had ended.')
}

/** Parses server-sent events (WHATWG HTML, 9.2). The gateway writes each field on one line. */
async function* eventsOf(response: Response): AsyncGenerator<{ event: string; data: string }> {
  let rest = ''
  for await (const text of textsOf(response)) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? []
      if (event !== '') yield { event, data }
    }
  }
}

/** Yields the texts of a body as they arrive. Safari cannot iterate a stream. */
export async function* textsOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
