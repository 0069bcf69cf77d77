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
  /** Null: the actor does not work. */
  progress: Signal<Progress | null>
  error: Signal<unknown>
  /** The value that the call of `run` with this answer had. */
  basis: Signal<unknown>
  /** Starts the actor, which costs one page. Does nothing while it works. `basis` identifies the data that it reads. */
  run: (basis?: unknown) => Promise<void>
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
