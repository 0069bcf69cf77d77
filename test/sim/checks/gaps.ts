/**
 * Checks the pauses between the requests to a host, by the true clock and over all fetchers.
 *
 * Two requests of the same run keep the delay of the run. A request also keeps a pause after the last request of
 * another run: the shorter one of the two delays. If the delay of a run grows, the first pause between two fetchers may
 * still be the old one. A request without a delay keeps no pause. The pause that begins with a request for robots.txt
 * without a delay is not checked.
 *
 * The last request is the request that was permitted last, also while its connection opens. Both the permissions and
 * the departures of requests keep the pause. Between two fetchers, the departures need not keep it if the later request
 * was permitted before the earlier one had left, on a connection that opened slowly: no fetcher knows when another
 * fetcher's connection is open.
 *
 * Two requests of one process always keep the pause. Requests of two processes keep it unless one of these processes
 * had a trouble with Redis in the meantime.
 */

import type { Request } from '../web/client.scene.ts'
import { Violation } from '../world.ts'
import type { Troubles } from './troubles.ts'

/** Maximum milliseconds until other fetchers know of a departure, and between a permission of Redis and its use. */
const grantMs = 20
/**
 * Milliseconds before a permission: a trouble within them excuses a short pause. They are the time limit of a call and
 * its repetition.
 */
const beforeMs = 600
/** Longer than any delay of a simulation. */
const keptMs = 40_000

export class Gaps {
  readonly #troubles: Troubles
  /** Requests with a delay by host, in the order of their permissions. */
  readonly #permitted = new Map<string, Request[]>()
  readonly #left = new Map<string, Request[]>()

  constructor(troubles: Troubles) {
    this.#troubles = troubles
  }

  permitted(request: Request): void {
    if (request.work.delayMs === 0) return
    for (const before of this.#earlier(this.#permitted, request, request.permittedAt))
      this.#keeps(before, request, request.permittedAt - before.permittedAt, 'permitted')
  }

  left(request: Request): void {
    if (request.work.delayMs === 0) return
    const since = this.#permitted
      .get(request.origin)
      ?.findLast(other => other !== request && other.permittedAt <= request.permittedAt)
    for (const before of this.#earlier(this.#left, request, request.leftAt)) {
      const isKnown = before.task === request.task || request.permittedAt >= before.leftAt + grantMs
      const isLast = since === undefined || since.permittedAt <= before.leftAt || isOfRun(request, before)
      if (isKnown && isLast) this.#keeps(before, request, request.leftAt - before.leftAt, 'sent')
    }
  }

  /**
   * Returns the requests after which this request keeps a pause: the last request of its run, and the last request of
   * all.
   */
  #earlier(all: Map<string, Request[]>, request: Request, now: number): Request[] {
    const known = all.get(request.origin) ?? []
    while (known[0] !== undefined && now - known[0].permittedAt > keptMs) known.shift()
    const [last, own] = [known.at(-1), known.findLast(({ work }) => work.runId === request.work.runId)]
    all.set(request.origin, known)
    known.push(request)
    return [...new Set([last, own])].flatMap(one => one ?? [])
  }

  #keeps(before: Request, request: Request, gapMs: number, how: string): void {
    const isSameRun = isOfRun(request, before)
    const isSame = before.task === request.task
    const delays = [before.work.delayMs, request.work.delayMs]
    const wantedMs = isSameRun && isSame ? request.work.delayMs : Math.min(...delays)
    if (gapMs >= wantedMs) return
    const [from, to] = [before.permittedAt - beforeMs, Math.max(request.leftAt, request.permittedAt)]
    const isExcused = [before, request].some(({ task }) => this.#troubles.hadAny(task.name, from, to))
    if (!isSame && isExcused) return
    throw new Violation(
      `${request.url} of run ${request.work.runId} is ${how} by ${request.task.name} ${gapMs} ms after ${before.url} of ` +
        `run ${before.work.runId} by ${before.task.name}, not ${wantedMs} ms`,
    )
  }
}

const isOfRun = (request: Request, other: Request): boolean => request.work.runId === other.work.runId
