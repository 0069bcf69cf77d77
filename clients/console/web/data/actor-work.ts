/**
 * Runs an actor with its progress, and keeps its result while the console is open: a call is billed, so leaving a screen
 * neither ends it nor loses what it found.
 */
import { type Signal, signal } from '@preact/signals'
import type { ActorOptions, Progress } from '@tidemark/sdk'
import { session } from './session.ts'

/** A method of `tidemark.actors`. */
type Actor<Body, Answer> = (body: Body, options: ActorOptions) => Promise<Answer>

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

const works = new Map<unknown, Map<string, unknown>>()

/** Returns the work for a body: the same one for the same reader. */
export function actorWork<Body, Answer>(actor: Actor<Body, Answer>, body: Body): ActorWork<Answer> {
  const reader = session.value.state === 'in' ? session.value.prefix : ''
  const key = JSON.stringify([reader, body])
  const ofActor = works.get(actor) ?? new Map<string, unknown>()
  works.set(actor, ofActor)
  const work = (ofActor.get(key) ?? newWork(actor, body)) as ActorWork<Answer>
  ofActor.set(key, work)
  return work
}

function newWork<Body, Answer>(actor: Actor<Body, Answer>, body: Body): ActorWork<Answer> {
  const answer = signal<Answer | null>(null)
  const progress = signal<Progress | null>(null)
  const error = signal<unknown>(null)
  const run = async () => {
    if (progress.value !== null) return
    progress.value = { stage: 'starting' }
    error.value = null
    try {
      answer.value = await actor(body, { timeout: silentMs, onProgress: news => (progress.value = news) })
    } catch (failure) {
      error.value = failure
    } finally {
      progress.value = null
    }
  }
  return { answer, progress, error, run }
}
