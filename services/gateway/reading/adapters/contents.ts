/** Asks the extractor for the content of pages, whether they have to be fetched or are stored. */
import { encodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type {
  ComparePages,
  ComparePagesAnswer,
  ReadContent,
  ReadContentAnswer,
  ScannedPage,
  ScanPage,
} from '@tidemark/contracts/rpc/content'
import * as contentRpc from '@tidemark/contracts/rpc/content'
import { tells } from '@tidemark/contracts/subjects'
import type { WorkDropped } from '@tidemark/contracts/tells'

/** All questions throw the extractor's `Refusal`, or `unavailable` when it is away. */
export type Contents = {
  scan(question: ScanPage): Promise<ScannedPage>
  /** Nobody waits any more for the scans of this work. Never throws: without it they end by themselves. */
  drop(workId: number): void
  /** Null where the run kept no body. */
  read(question: ReadContent): Promise<ReadContentAnswer>
  /** Null where one of the runs kept no body. */
  compare(question: ComparePages): Promise<ComparePagesAnswer>
}

/** Longer than a fetch, its page's reading and what waits before it take at the most. */
const scanMs = 45_000
/** Beyond what a scan says that it may take. */
const spareMs = 15_000
const readMs = 20_000

export const openContents = (bus: Bus): Contents => ({
  scan(question) {
    const timeoutMs = question.timeoutMs === undefined ? scanMs : question.timeoutMs + spareMs
    return call(bus, contentRpc.scanPage, question, { timeoutMs })
  },
  drop(workId) {
    if (!bus.nc.isClosed() && !bus.nc.isDraining())
      bus.nc.publish(tells.workDropped, encodeJson({ workId } satisfies WorkDropped))
  },
  read: question => call(bus, contentRpc.readContent, question, { timeoutMs: readMs }),
  compare: question => call(bus, contentRpc.comparePages, question, { timeoutMs: readMs }),
})
