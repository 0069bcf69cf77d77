/** Streams the progress of an actor as fast as its client reads it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { keepAliveComment, opening } from './domain/progress-text.ts'

/** Maximum number of unread texts. Older ones are dropped, because the newest matter. */
const maxWaiting = 64

export class ProgressStream {
  readonly #waiting: string[] = []
  readonly #first = Promise.withResolvers<void>()
  #news = Promise.withResolvers<void>()

  /** Resolves after the first progress. */
  get begun(): Promise<void> {
    return this.#first.promise
  }

  push(text: string): void {
    if (this.#waiting.length >= maxWaiting) this.#waiting.shift()
    this.#waiting.push(text)
    this.#first.resolve()
    this.#news.resolve()
  }

  /** Generates all progress until the end, and then the end. Sends a heartbeat after `heartbeatMs` of silence. */
  async *read(end: Promise<Iterable<string | Buffer>>, heartbeatMs: number): AsyncGenerator<string | Buffer> {
    const last: Iterable<string | Buffer>[] = []
    void end.then(pieces => {
      last.push(pieces)
      this.#news.resolve()
    })
    yield opening
    while (last.length === 0) {
      const text = this.#waiting.splice(0).join('')
      if (text !== '') yield text
      else if (!(await this.#waitForNews(heartbeatMs))) yield keepAliveComment
    }
    yield this.#waiting.splice(0).join('')
    for (const pieces of last) yield* pieces
  }

  /** Returns false if no text arrives within `timeoutMs`. */
  async #waitForNews(timeoutMs: number): Promise<boolean> {
    this.#news = Promise.withResolvers()
    const arrived = new AbortController()
    const quiet = sleep(timeoutMs, false, { signal: arrived.signal }).catch(() => true)
    const hasNews = await Promise.race([quiet, this.#news.promise.then(() => true)])
    arrived.abort()
    return hasNews
  }
}
