/**
 * Checks the limits of a run over all fetchers. The requests in flight of a run are at most its concurrency, unless a
 * fetcher has just had a trouble with Redis: without Redis, each fetcher uses the whole concurrency. A fetcher that has
 * received the end of a run sends no more requests of the run, and has none in flight.
 */
import type { RunEnded } from '@tidemark/contracts/notifications'
import type { Request } from '../web/client.scene.ts'
import { usualConcurrency } from '../web/fetching.ts'
import { type Task, Violation } from '../world.ts'
import type { Troubles } from './troubles.ts'

/** Milliseconds after a trouble until all fetchers use the shares from Redis again: two updates of the shares. */
const settledMs = 600

export class RunLimits {
  readonly #troubles: Troubles
  readonly #inFlight = new Map<number, Set<Request>>()
  readonly #ended = new Map<Task, Set<number>>()

  constructor(troubles: Troubles) {
    this.#troubles = troubles
  }

  permitted(request: Request): void {
    const { work, task, permittedAt: now } = request
    if (this.#ended.get(task)?.has(work.runId))
      throw new Violation(`${task.name} requests ${request.url} of run ${work.runId}, of whose end it knows`)
    const most = work.concurrency ?? usualConcurrency
    const out = this.#of(work.runId).add(request)
    if (out.size <= most) return
    for (const one of out) if (!one.task.isAlive) out.delete(one)
    if (out.size <= most || this.#troubles.had(now - settledMs, now)) return
    const by = [...Map.groupBy(out, one => one.task.name)].map(([name, some]) => `${some.length} by ${name}`)
    throw new Violation(
      `run ${work.runId} has ${out.size} requests in flight, above ${most}: ${by.join(', ')}`,
    )
  }

  over(request: Request): void {
    this.#of(request.work.runId).delete(request)
  }

  /** Records that a process has received the end of a run. */
  received(task: Task, { runId, mayBeRetried }: RunEnded): void {
    // A request whose connection is still opening is never sent, so it is allowed.
    for (const request of this.#of(runId))
      if (request.task === task && request.leftAt > 0)
        throw new Violation(`${task.name} knows the end of run ${runId}, and still requests ${request.url}`)
    if (!mayBeRetried) this.#ended.set(task, (this.#ended.get(task) ?? new Set()).add(runId))
  }

  #of(runId: number): Set<Request> {
    const known = this.#inFlight.get(runId) ?? new Set()
    this.#inFlight.set(runId, known)
    return known
  }
}
