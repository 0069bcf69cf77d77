/** Ends a job at its deadline, or when it is cancelled. */
import { RenderError } from './render-error.ts'

export class Deadline implements Disposable {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #endsAt: number
  readonly #cancellations: (AbortSignal | undefined)[]
  readonly #onAbort = () => this.#controller.abort(new RenderError('aborted'))

  /** @param cancellations signals that end the job earlier */
  constructor(ms: number, ...cancellations: (AbortSignal | undefined)[]) {
    this.#endsAt = Date.now() + ms
    this.#timer = setTimeout(
      () => this.#controller.abort(new RenderError('timeout', { because: `${ms} ms` })),
      ms,
    )
    this.#cancellations = cancellations
    for (const signal of cancellations) {
      if (signal?.aborted) this.#onAbort()
      else signal?.addEventListener('abort', this.#onAbort, { once: true })
    }
  }

  /** Aborts at the end of the job. Its reason is a RenderError, `timeout` or `aborted`. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAt - Date.now())
  }

  /** Resolves with the first result and ignores the others. @throws the signal's reason */
  async first<T>(...works: Promise<T>[]): Promise<T> {
    for (const work of works) work.catch(() => {})
    this.signal.throwIfAborted()
    const { promise: over, reject } = Promise.withResolvers<never>()
    const end = () => reject(this.signal.reason)
    this.signal.addEventListener('abort', end, { once: true })
    try {
      return await Promise.race([...works, over])
    } finally {
      this.signal.removeEventListener('abort', end)
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    for (const signal of this.#cancellations) signal?.removeEventListener('abort', this.#onAbort)
  }
}
