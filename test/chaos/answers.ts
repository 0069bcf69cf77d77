/** How the API answered during the faults: the number of 503 responses, and how long each series of them lasted. */
import { type History, only } from './history.ts'

export type Answers = {
  calls: number
  /** Responses with status 503 and the time of the next attempt. */
  putOff: number
  /** Calls without any response. */
  lost: number
  /** The longest series: from the start of its first 503 to the first other response after it, from any client. */
  maxPutOffMs: number
  /** The number of series, and their total duration. */
  rows: number
  putOffMs: number
  /** The slowest successful response. */
  slowestMs: number
}

export function answersIn(history: History): Answers {
  const calls = only(history, 'call').map(({ at, ms = 0, status }) => ({ from: at - ms, at, ms, status }))
  const rows: number[] = []
  let since: number | null = null
  for (const { from, at, status } of calls) {
    if (status === 503) since ??= from
    else if (since !== null && status !== 0) {
      rows.push(at - since)
      since = null
    }
  }
  const good = calls.filter(({ status }) => status >= 200 && status < 300)
  return {
    calls: calls.length,
    putOff: calls.filter(({ status }) => status === 503).length,
    lost: calls.filter(({ status }) => status === 0).length,
    maxPutOffMs: Math.round(Math.max(0, ...rows)),
    rows: rows.length,
    putOffMs: Math.round(rows.reduce((sum, row) => sum + row, 0)),
    slowestMs: Math.round(good.reduce((most, { ms }) => Math.max(most, ms), 0)),
  }
}
