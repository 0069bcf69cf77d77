/** How the API answered while things were being broken: how many calls it put off, and for how long at a stretch. */
import { type History, only } from './history.ts'

export type Answers = {
  calls: number
  /** 503 with the moment to come again. */
  putOff: number
  /** No answer at all. */
  lost: number
  /** From the first call of a row that was put off to the first answer after it, whoever called. */
  maxPutOffMs: number
  /** How many such rows, and how long all of them together. */
  rows: number
  putOffMs: number
  /** Of those that were answered with what was asked for. */
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
