/** How far everybody has come who turns runs into something that must outlive their events. */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type { Reached } from '@tidemark/contracts/ask/runs'
import { asks, type RunsReader } from '@tidemark/contracts/subjects'

const answerMs = 2_000

/**
 * The sequence of RUNS up to which all of these are through; null while one of them does not answer, for what it
 * has not read must not go.
 */
export async function reachedByAll(bus: Bus, readers: readonly RunsReader[]): Promise<number | null> {
  const asked = readers.map(reader =>
    ask<null, Reached>(bus, asks.reached(reader), null, { timeoutMs: answerMs }),
  )
  const answers = await Promise.allSettled(asked)
  const sequences = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value.sequence] : []))
  return sequences.length === readers.length ? Math.min(...sequences) : null
}
