/** Asks the extractor for the content of pages, whether they have to be fetched or are stored. */
import { ask } from '@tidemark/bus/ask'
import { decodeCompact } from '@tidemark/bus/compact'
import type { Bus } from '@tidemark/bus/connection'
import type { ReadContent, ReadContentAnswer, ScannedPage, ScanPage } from '@tidemark/contracts/ask/content'
import { asks } from '@tidemark/contracts/subjects'

/** Both throw the extractor's `Refusal`, or `unavailable` when it is away. */
export type Contents = {
  scan(question: ScanPage): Promise<ScannedPage>
  /** Null where the run kept no body. */
  read(question: ReadContent): Promise<ReadContentAnswer>
}

/** Longer than a fetch, its page's reading and what waits before it take at the most. */
const scanMs = 45_000
const readMs = 20_000

export const openContents = (bus: Bus): Contents => ({
  scan: question =>
    ask<ScanPage, ScannedPage>(bus, asks.scanPage, question, { timeoutMs: scanMs, decode: decodeCompact }),
  read: question =>
    ask<ReadContent, ReadContentAnswer>(bus, asks.readContent, question, {
      timeoutMs: readMs,
      decode: decodeCompact,
    }),
})
