/** Ends attempts, and bodies that are read part by part. */
import { AttemptTimedOutError, ConnectionFailedError } from './errors.ts'

/** Ends an attempt when its caller aborts it, or after a time without a response. */
export class Ending {
  readonly #ending = new AbortController()
  readonly #caller: AbortSignal | undefined
  readonly #timeout: number
  #timer: ReturnType<typeof setTimeout> | undefined
  isLate = false

  constructor(caller: AbortSignal | undefined, timeout: number) {
    this.#caller = caller
    this.#timeout = timeout
    caller?.addEventListener('abort', this.#abort)
  }

  readonly #abort = () => this.#ending.abort()

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.isLate = true
      this.#ending.abort()
    }, this.#timeout)
  }

  pause(): void {
    clearTimeout(this.#timer)
  }

  /** Removes the listener: a signal of a caller outlives many attempts. */
  forget(): void {
    this.#caller?.removeEventListener('abort', this.#abort)
  }

  /** Returns the error of a body that was not read to its end. */
  errorOf(error: unknown): unknown {
    if (this.#caller?.aborted) return this.#caller.reason
    if (this.isLate) return new AttemptTimedOutError(`The service sent no data for ${this.#timeout} ms.`)
    return new ConnectionFailedError('The connection was cut within the answer.', true, error)
  }
}

/** Statuses of responses without a body (Fetch standard, 2.2.3). Chromium gives them an empty one, which `Response` refuses. */
const bodiless = [204, 205, 304]

/** Returns a response whose body fails if the service is silent for too long. */
export function withEnding(response: Response, ending: Ending): Response {
  if (response.body === null || bodiless.includes(response.status)) return response
  const reader = response.body.getReader()
  // A `fetch` of the caller may ignore the signal.
  ending.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}))
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        ending.start()
        try {
          const { done, value } = await reader.read()
          ending.signal.throwIfAborted()
          if (!done) return controller.enqueue(value)
          ending.forget()
          controller.close()
        } catch (error) {
          ending.forget()
          controller.error(ending.errorOf(error))
        } finally {
          ending.pause()
        }
      },
      async cancel(reason) {
        ending.forget()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}
