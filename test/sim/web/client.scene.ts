/**
 * The HTTP client of a simulated process, in place of the client that the fetcher's routes return. Its connections are
 * kept alive by origin. Each request is reported to the checks, with the run that sends it.
 */
import type { FetchOrders } from '@tidemark/contracts/work/fetch'
import type { HttpClient } from '@tidemark/http/client'
import type { RouteOf } from '../../../services/fetcher/adapters/routes.ts'
import { type Task, Violation, type World } from '../world.ts'
import type { Answer, Site } from './site.ts'

/** A request of a process to a host. */
export type Request = {
  /** The process that sends it. */
  task: Task
  work: FetchOrders
  url: string
  /** Host and protocol. */
  origin: string
  /** The time at which the client received the request, which then has all permits. */
  permittedAt: number
  /** The time at which the request left on an open connection; 0: it has not left. */
  leftAt: number
}

/** Receives the requests of all processes. */
export type Watch = {
  permitted(request: Request): void
  left(request: Request): void
  answered(request: Request, status: number, headers: Readonly<Record<string, string>>): void
  ended(request: Request): void
}

type Ports = { world: World; task: Task; siteOf: (url: string) => Site | undefined; watch: Watch }
type Handler = Parameters<HttpClient['dispatch']>[1]
type Controller = Parameters<NonNullable<Handler['onResponseStart']>>[0]

const unresolvedMs = 5
const refusal = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const unresolved = () => Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })

/** Returns the direct route of a process for each run. */
export function simulatedRoutes(ports: Ports): RouteOf {
  const kept = new Map<string, number>()
  return run => ({
    client: clientOf(ports, kept, run as FetchOrders),
    succeeded() {},
    failed: error => error,
    [Symbol.dispose]() {},
  })
}

/** @param kept number of idle connections by origin */
function clientOf(ports: Ports, kept: Map<string, number>, work: FetchOrders): HttpClient {
  const { world, task } = ports
  const unused = (name: string) => () => {
    throw new Violation(`The simulated client has no ${name}`)
  }
  return {
    guard: unused('guard') as never,
    resolver: unused('resolver') as never,
    connect: unused('connections') as never,
    dispatch({ origin, path }, handler) {
      const url = `${origin}${path}`
      const request = {
        task,
        work,
        url,
        origin: String(origin),
        permittedAt: world.now,
        leftAt: 0,
      }
      new Exchange(ports, kept, request, handler).begin()
    },
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
}

/** One request on one connection, with the callbacks of the real client. */
class Exchange {
  readonly #ports: Ports
  readonly #kept: Map<string, number>
  readonly #request: Request
  readonly #handler: Handler
  #isOver = false
  #reason: Error | null = null

  constructor(ports: Ports, kept: Map<string, number>, request: Request, handler: Handler) {
    this.#ports = ports
    this.#kept = kept
    this.#request = request
    this.#handler = handler
  }

  begin(): void {
    const [{ world, watch, siteOf }, { url, origin }] = [this.#ports, this.#request]
    watch.permitted(this.#request)
    const site = siteOf(url)
    const idle = this.#kept.get(origin) ?? 0
    if (site === undefined) world.after(unresolvedMs, () => this.#fail(unresolved()))
    else if (site.isOut(world.now)) {
      this.#kept.delete(origin)
      world.after(site.connectMs, () => this.#fail(refusal()))
    } else if (idle > 0) {
      this.#kept.set(origin, idle - 1)
      this.#leave(site)
    } else world.after(site.connectMs, () => this.#leave(site))
  }

  get #controller(): Controller {
    const self = this
    return {
      get aborted() {
        return self.#reason !== null
      },
      get paused() {
        return false
      },
      get reason() {
        return self.#reason
      },
      pause() {
        throw new Violation('The simulated client has no bodies that are large enough for a pause')
      },
      resume() {},
      abort: reason => this.#fail(reason),
    }
  }

  #leave(site: Site): void {
    const [{ world, watch }, request] = [this.#ports, this.#request]
    try {
      this.#handler.onRequestStart?.(this.#controller, {})
    } catch (error) {
      this.#fail(error as Error)
      return
    }
    request.leftAt = world.now
    watch.left(request)
    const answer = site.get(request.url, world.now)
    if (answer.type === 'refused') world.after(answer.ms, () => this.#fail(refusal()))
    else if (answer.type === 'response') world.after(answer.ms, () => this.#receive(answer))
  }

  #receive(answer: Extract<Answer, { type: 'response' }>): void {
    if (this.#isOver) return
    const { status, headers, body } = answer
    const [handler, controller, { origin }] = [this.#handler, this.#controller, this.#request]
    const sized = { ...headers, 'content-length': String(body.byteLength) }
    handler.onResponseStarted?.()
    handler.onResponseStart?.(controller, status, sized, '')
    if (body.byteLength > 0 && !this.#isOver) handler.onResponseData?.(controller, body)
    if (this.#isOver) return
    this.#end()
    this.#kept.set(origin, (this.#kept.get(origin) ?? 0) + 1)
    this.#ports.watch.answered(this.#request, status, headers)
    handler.onResponseEnd?.(controller, {})
  }

  #fail(error: Error): void {
    if (this.#isOver) return
    this.#reason = error
    this.#end()
    this.#handler.onResponseError?.(this.#controller, error)
  }

  #end(): void {
    this.#isOver = true
    this.#ports.watch.ended(this.#request)
  }
}
