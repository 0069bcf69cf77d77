/**
 * Checks that a pause which a host requests (`Retry-After`) is kept. The process that receives it sends nothing to the host
 * until its end. Other fetchers keep it from the moment at which they can know it: in requests with a delay, unless one of
 * both had a trouble with Redis since then. Requests without a delay do not use Redis.
 */

import type { Request } from '../web/client.scene.ts'
import { Violation } from '../world.ts'
import type { Troubles } from './troubles.ts'

type Pause = { since: number; until: number; request: Request }

/** Maximum milliseconds of a permission that was on its way when the pause began. */
const grantMs = 20
/** The same if Redis does not respond in time. */
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
      // Without a delay it decides at once.
      if (request.work.delayMs === 0) return false
      return now <= since + (had(task.name) ? lateGrantMs : grantMs)
    }
    return request.work.delayMs === 0 || now <= since + grantMs || had(task.name) || had(request.task.name)
  }
}
