/** Asks the extractor for what the actors answer. */
import { ask } from '@tidemark/bus/ask'
import { decodeCompact } from '@tidemark/bus/compact'
import type { Bus } from '@tidemark/bus/connection'
import type { PageRead, ReadPageAs } from '@tidemark/contracts/ask/actors'
import { asks } from '@tidemark/contracts/subjects'

/** All throw the `Refusal` of whoever was asked, or `unavailable` when it is away. */
export type Actors = {
  readPage(question: ReadPageAs): Promise<PageRead>
}

/** Beyond the time that a page may take: what waits before it, and its reading. */
const spareMs = 15_000

export function openActors(bus: Bus): Actors {
  const compactly = <Question extends object, Answer>(
    subject: string,
    question: Question,
    timeoutMs: number,
  ) => ask<Question, Answer>(bus, subject, question, { timeoutMs, decode: decodeCompact })

  return {
    readPage: question => compactly(asks.readPageAs, question, question.timeoutMs + spareMs),
  }
}
