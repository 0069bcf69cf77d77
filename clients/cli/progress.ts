/** The progress line of a crawl, and the question at Ctrl-C. */
import { createInterface } from 'node:readline'
import type { StreamData } from '@tidemark/sdk'

const rateWindowMs = 10_000
const redrawMs = 250

/** Returns the line: pages, pages a second of the last ten seconds, errors, queue and time left. */
export class Progress {
  readonly #samples: { at: number; pages: number }[] = []
  #last: StreamData['progress'] | null = null
  #drawnAt = 0

  add(progress: StreamData['progress'], at: number): void {
    this.#last = progress
    this.#samples.push({ at, pages: progress.page_count })
    while (this.#samples.length > 2 && at - (this.#samples[0]?.at ?? at) > rateWindowMs) this.#samples.shift()
  }

  /** Draws the line at most four times a second. */
  draw(at: number): void {
    if (!process.stderr.isTTY || at - this.#drawnAt < redrawMs) return
    this.#drawnAt = at
    process.stderr.write(`\r\x1b[K${this.line()}`)
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  }

  line(): string {
    if (this.#last === null) return 'waiting for the first page …'
    const { page_count, error_count, pending } = this.#last
    const rate = this.#rate()
    const left = rate > 0 ? `, about ${durationOf(pending / rate)} left` : ''
    return `${page_count} pages, ${rate.toFixed(1)} pages/s, ${error_count} errors, ${pending} in the queue${left}`
  }

  #rate(): number {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)]
    if (first === undefined || last === undefined || last.at === first.at) return 0
    return ((last.pages - first.pages) * 1000) / (last.at - first.at)
  }
}

function durationOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`
}

/** Returns the answer of the user at Ctrl-C. Without a terminal the crawl is left running. */
export async function askAtInterrupt(): Promise<'cancel' | 'leave' | 'continue'> {
  if (!process.stdin.isTTY) return 'leave'
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const question = '\nCancel the crawl (c), leave it running (l), or continue (Enter)? '
  const answer = await new Promise<string>(resolve => {
    lines.question(question, resolve)
    lines.once('SIGINT', () => resolve('l'))
  })
  lines.close()
  const [letter] = answer.trim().toLowerCase()
  return letter === 'c' ? 'cancel' : letter === 'l' ? 'leave' : 'continue'
}
