/**
 * Runs an actor with its progress, and keeps its result while the console is open: a call is billed, so leaving a screen
 * neither ends it nor loses what it found.
 */
import { batch, type Signal, signal } from '@preact/signals'
import type { ActorOptions, Progress } from '@tidemark/sdk'
import { session } from './session.ts'

/** A method of `tidemark.actors`. */
type Actor<Body, Answer> = (body: Body, options: ActorOptions) => Promise<Answer>

export type ActorWork<Answer> = {
  answer: Signal<Answer | null>
  /** Null: the actor is not running. */
  progress: Signal<Progress | null>
  error: Signal<unknown>
  /** The `basis` of the `run` that returned `answer`. */
  basis: Signal<unknown>
  /**
   * Starts the actor, which costs one page. Does nothing while the actor runs. `basis` identifies the data that the
   * actor reads.
   */
  run: (basis?: unknown) => Promise<void>
}

/** Milliseconds without data after which a call fails. The service sends a comment every 15 s while an actor runs. */
const silentMs = 60_000

const works = new Map<unknown, Map<string, unknown>>()

/** Returns the work for an actor, a reader and a body. The same three always get the same object. */
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
  const basis = signal<unknown>(undefined)
  const run = async (of?: unknown) => {
    if (progress.value !== null) return
    progress.value = { stage: 'starting' }
    error.value = null
    try {
      const found = await actor(body, { timeout: silentMs, onProgress: news => (progress.value = news) })
      batch(() => {
        answer.value = found
        basis.value = of
      })
    } catch (failure) {
      error.value = failure
    } finally {
      progress.value = null
    }
  }
  return { answer, basis, progress, error, run }
}
