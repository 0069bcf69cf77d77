/**
 * What happened while things were being broken: all that the checker knows, kept as one JSON line a fact for who looks
 * after it.
 */
import fs from 'node:fs'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { Site } from './site.ts'

/** As the API tells it at the end; null when it could not be read. */
export type RunEnd = { status: string; page_count: number; error_count: number } | null
export type PageRow = { url: string; status: number }

export type Fact =
  /** `origins` are the hosts' own, in their order. */
  | { type: 'site'; site: Site; origins: string[] }
  /** Status 0: there was no answer. `ms`: how long it took. */
  | { type: 'call'; method: string; path: string; status: number; retryAfter: boolean; ms?: number }
  | { type: 'hit'; host: number; path: string }
  | { type: 'kill'; target: string; pids: number[] }
  /** Of a webhook, with the id under which receivers tell repeats. */
  | { type: 'delivery'; run: number; id: string }
  | { type: 'accepted'; run: number; project: string; host: number }
  | { type: 'ended'; run: number; end: RunEnd }
  /** As it was read while the run went on, or at its end. */
  | { type: 'receipt'; run: number; receipt: Coverage }
  | { type: 'pages'; run: number; rows: PageRow[] }
  | { type: 'usage'; project: string; pages: number }
  /** Messages of the work queues that were delivered again. */
  | { type: 'redelivered'; messages: number }
  /** Messages of the work queues that were published a second time. */
  | { type: 'repeated'; messages: number }
  | { type: 'verified'; code: number; said: string }

/** `at` in milliseconds since 1970. */
export type Entry = Fact & { at: number }
export type History = readonly Entry[]

export type Recorder = {
  history: History
  /** `at` where it is known better than by the clock of this moment. */
  record(fact: Fact, at?: number): void
  close(): void
}

/** Writes each fact to the file as it comes. */
export function startRecorder(file: string): Recorder {
  const history: Entry[] = []
  const descriptor = fs.openSync(file, 'w')
  return {
    history,
    record(fact, at = Date.now()) {
      const entry = { at, ...fact }
      history.push(entry)
      fs.writeSync(descriptor, `${JSON.stringify(entry)}\n`)
    },
    close: () => fs.closeSync(descriptor),
  }
}

/** The facts of one type, in order. */
export const only = <Type extends Fact['type']>(history: History, type: Type) =>
  history.filter((entry): entry is Extract<Entry, { type: Type }> => entry.type === type)
