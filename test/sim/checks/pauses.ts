/**
 * Checks that each pause that a host requests (`Retry-After`) is kept. The process that receives the request for a
 * pause sends nothing to the host until the end of the pause. Other fetchers keep the pause in requests with a delay,
 * from the moment at which they can know it, unless they or the receiving process had a trouble with Redis since then.
 * Requests without a delay do not use Redis.
 */

import type { Request } from '../web/client.scene.ts'
import { Violation } from '../world.ts'
import type { Troubles } from './troubles.ts'

type Pause = { since: number; until: number; request: Request }

/** Milliseconds after the beginning of a pause in which a permission that was granted before it may still be used. */
const grantMs = 20
/** The same maximum if Redis does not respond in time. */
const lateGrantMs = 600

export class Pauses {
  readonly #troubles: Troubles
  readonly #byOrigin = new Map<string, Pause[]>()

  constructor(troubles: Troubles) {
    this.#troubles = troubles
  }

  requested(request: Request, now: number, seconds: number): void {
    const known = this.#byOrigin.get(request.origin) ?? []
    const active = known.filter(({ until }) => until > now)
    this.#byOrigin.set(request.origin, [...active, { since: now, until: now + 1_000 * seconds, request }])
  }

  permitted(request: Request): void {
    for (const pause of this.#byOrigin.get(request.origin) ?? []) {
      if (request.permittedAt >= pause.until || this.#mayIgnore(pause, request)) continue
      const sinceMs = request.permittedAt - pause.since
      throw new Violation(
        `${request.url} of run ${request.work.runId} is requested by ${request.task.name} ${sinceMs} ms after its host requested a ` +
          `pause of ${pause.until - pause.since} ms from ${pause.request.task.name}`,
      )
    }
  }

  #mayIgnore({ since, request: { task } }: Pause, request: Request): boolean {
    const now = request.permittedAt
    const had = (name: string) => this.#troubles.hadAny(name, since, now)
    if (task === request.task) {
      // A request without a delay is permitted at once, so the process knows the pause.
      if (request.work.delayMs === 0) return false
      return now <= since + (had(task.name) ? lateGrantMs : grantMs)
    }
    return request.work.delayMs === 0 || now <= since + grantMs || had(task.name) || had(request.task.name)
  }
}
