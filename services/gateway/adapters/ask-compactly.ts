/** Asks for what is answered in compact form, as all is that may be large. */
import { ask } from '@tidemark/bus/ask'
import { decodeCompact } from '@tidemark/bus/compact'
import type { Bus } from '@tidemark/bus/connection'

/** Throws the `Refusal` of whoever was asked, or `unavailable` when it is away. */
export const askCompactly =
  (bus: Bus) =>
  <Question extends object, Answer>(
    subject: string,
    question: Question,
    timeoutMs: number,
  ): Promise<Answer> =>
    ask<Question, Answer>(bus, subject, question, { timeoutMs, decode: decodeCompact })
