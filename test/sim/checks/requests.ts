/** Checks the promises to hosts and clients about requests, at each request of any fetcher. */
import type { RunEnded } from '@tidemark/contracts/notifications'
import type { Request, Watch } from '../web/client.scene.ts'
import type { Task, World } from '../world.ts'
import { Gaps } from './gaps.ts'
import { Pauses } from './pauses.ts'
import { RunLimits } from './run-limits.ts'
import { Troubles } from './troubles.ts'

export class RequestChecks implements Watch {
  readonly troubles = new Troubles()
  readonly #world: World
  readonly #gaps = new Gaps(this.troubles)
  readonly #pauses = new Pauses(this.troubles)
  readonly #limits = new RunLimits(this.troubles)

  constructor(world: World) {
    this.#world = world
  }

  permitted(request: Request): void {
    this.#checked(() => {
      this.#gaps.permitted(request)
      this.#pauses.permitted(request)
      this.#limits.permitted(request)
    })
  }

  left(request: Request): void {
    const { task, work, url } = request
    this.#world.record(`${task.name}: request of run ${work.runId} to ${url}`)
    this.#checked(() => this.#gaps.left(request))
  }

  answered(request: Request, status: number, headers: Readonly<Record<string, string>>): void {
    const seconds = headers['retry-after']
    if (seconds === undefined) return
    this.#world.record(`${request.task.name}: ${status} from ${request.url}, pause of ${seconds} s`)
    this.#pauses.requested(request, this.#world.now, Number(seconds))
  }

  ended(request: Request): void {
    this.#limits.over(request)
  }

  /** Records that a process has received the end of a run. */
  received(task: Task, ended: RunEnded): void {
    this.#world.record(`${task.name}: knows the end of run ${ended.runId}`)
    this.#checked(() => this.#limits.received(task, ended))
  }

  #checked(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#world.fail(error)
    }
  }
}
