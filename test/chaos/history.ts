/**
 * The history of a run of chaos: all facts that the checker knows. It is also written to a file, one JSON line per
 * fact, for later inspection.
 */
import fs from 'node:fs'
import type { Coverage } from '@tidemark/contracts/http/coverage'
import type { Site } from './site.ts'

/** The run's state in the API at the end; null when it could not be read. */
export type RunEnd = { status: string; page_count: number; error_count: number } | null
export type PageRow = { url: string; status: number }

export type Fact =
  /** The origins of the hosts, in their order. */
  | { type: 'site'; site: Site; origins: string[] }
  /** Status 0 means that there was no answer. `ms` is the duration. */
  | { type: 'call'; method: string; path: string; status: number; retryAfter: boolean; ms?: number }
  /**
   * A request to a host. If the thread of the hosts was delayed, it arrived up to `lateMs` before the recorded time.
   */
  | { type: 'hit'; host: number; path: string; lateMs?: number }
  | { type: 'kill'; target: string; pids: number[] }
  /** A webhook, with the id by which receivers detect duplicates. */
  | { type: 'delivery'; run: number; id: string }
  | { type: 'accepted'; run: number; project: string; host: number }
  | { type: 'ended'; run: number; end: RunEnd }
  /** A receipt, read during the run or at its end. */
  | { type: 'receipt'; run: number; receipt: Coverage }
  | { type: 'pages'; run: number; rows: PageRow[] }
  | { type: 'usage'; project: string; pages: number }
  /** The number of work messages that were redelivered. */
  | { type: 'redelivered'; messages: number }
  /** The number of work messages that were published a second time. */
  | { type: 'repeated'; messages: number }
  | { type: 'verified'; code: number; output: string }

/** `at` is in milliseconds since 1970. */
export type Entry = Fact & { at: number }
export type History = readonly Entry[]

export type Recorder = {
  history: History
  /** Pass `at` if a more exact time than now is known. */
  record(fact: Fact, at?: number): void
  close(): void
}

/** Returns a recorder that appends each fact to the file. */
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

/** Returns the facts of one type, in order. */
export const only = <Type extends Fact['type']>(history: History, type: Type) =>
  history.filter((entry): entry is Extract<Entry, { type: Type }> => entry.type === type)
