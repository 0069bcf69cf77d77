/** The progress line of a crawl, and the question at Ctrl-C. */
import { createInterface, type Interface } from 'node:readline'
import type { StreamData } from '@tidemark/sdk'

const rateWindowMs = 10_000
const redrawMs = 250

/** The progress line: pages, pages a second over the last ten seconds, errors, queue and time left. */
export class ProgressLine {
  readonly #samples: { at: number; pages: number }[] = []
  #last: StreamData['progress'] | null = null
  #drawnAt = 0

  add(progress: StreamData['progress'], at: number): void {
    this.#last = progress
    this.#samples.push({ at, pages: progress.page_count })
    while (this.#samples.length > 2 && at - (this.#samples[0]?.at ?? at) > rateWindowMs) this.#samples.shift()
  }

  /**
   * Draws the line at most four times a second. A line wider than the terminal is cut, because only one line can be
   * cleared.
   */
  draw(at: number): void {
    if (!process.stderr.isTTY || at - this.#drawnAt < redrawMs) return
    this.#drawnAt = at
    process.stderr.write(`\r\x1b[K${this.line().slice(0, (process.stderr.columns || 80) - 1)}`)
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

/** Returns the line that the user enters, and closes the input. Null: Ctrl-C, Ctrl-D, or the signal ended it. */
export function enteredLine(
  lines: Interface,
  question: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const close = () => lines.close()
  signal?.addEventListener('abort', close)
  return new Promise<string | null>(resolve => {
    lines.once('close', () => resolve(null))
    lines.once('SIGINT', close)
    lines.question(question, line => {
      resolve(line)
      lines.close()
    })
    if (signal?.aborted) close()
  }).finally(() => signal?.removeEventListener('abort', close))
}

type Terminal = { input: NodeJS.ReadableStream & { isTTY?: boolean }; output: NodeJS.WritableStream }

/**
 * Returns the answer of the user at Ctrl-C. Without a terminal the crawl is left running.
 *
 * @param signal ends the question, because the crawl has ended
 */
export async function promptAtInterrupt(
  signal: AbortSignal,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<'cancel' | 'leave' | 'continue'> {
  if (!input.isTTY) return 'leave'
  const question = '\nCancel the crawl (c), leave it running (l), or continue (Enter)? '
  const answer = await enteredLine(createInterface({ input, output }), question, signal)
  // Without an Enter the cursor is still behind the question.
  if (answer === null) output.write('\n')
  if (signal.aborted) return 'continue'
  const [letter] = answer?.trim().toLowerCase() ?? 'l'
  return letter === 'c' ? 'cancel' : letter === 'l' ? 'leave' : 'continue'
}
