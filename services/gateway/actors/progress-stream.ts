/** What is said while an actor works, as one text that is read as fast as its client takes it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { opening, signOfLife } from './domain/progress-text.ts'

/** Of what is not yet read the newest matter: the rest is let go. */
const maxWaiting = 64

export class ProgressStream {
  readonly #waiting: string[] = []
  readonly #first = Promise.withResolvers<void>()
  #news = Promise.withResolvers<void>()

  /** Resolves when something was said. */
  get begun(): Promise<void> {
    return this.#first.promise
  }

  say(text: string): void {
    if (this.#waiting.length >= maxWaiting) this.#waiting.shift()
    this.#waiting.push(text)
    this.#first.resolve()
    this.#news.resolve()
  }

  /** All that is said until the end has come, and the end; a sign of life after so long without a word. */
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
      else if (!(await this.#hears(heartbeatMs))) yield signOfLife
    }
    yield this.#waiting.splice(0).join('')
    for (const pieces of last) yield* pieces
  }

  /** False where nothing is said for so long. */
  async #hears(forMs: number): Promise<boolean> {
    this.#news = Promise.withResolvers()
    const heard = new AbortController()
    const quiet = sleep(forMs, false, { signal: heard.signal }).catch(() => true)
    const isHeard = await Promise.race([quiet, this.#news.promise.then(() => true)])
    heard.abort()
    return isHeard
  }
}
