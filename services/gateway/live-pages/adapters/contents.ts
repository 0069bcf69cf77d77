/** Requests the content of pages from the extractor, which fetches them or reads the stored ones. */
import { encodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { call, hasNoServer } from '@tidemark/bus/rpc'
import type { WorkDropped } from '@tidemark/contracts/notifications'
import type {
  ComparePages,
  ComparePagesAnswer,
  DeleteScans,
  ReadContent,
  ReadContentAnswer,
  ReadScan,
  ReadScanAnswer,
  ScannedPage,
  ScanPage,
} from '@tidemark/contracts/rpc/content'
import * as contentRpc from '@tidemark/contracts/rpc/content'
import { notifications } from '@tidemark/contracts/subjects'

/** Every request throws the extractor's `Refusal`, or `unavailable` if the extractor does not respond. */
export type Contents = {
  scan(question: ScanPage): Promise<ScannedPage>
  /** Cancels the scans of this work. Never throws: without it they end by themselves. */
  drop(workId: number): void
  /** Returns the page that an earlier scan of the project stored, or null. */
  readScan(question: ReadScan): Promise<ReadScanAnswer>
  /** Deletes the pages of an address that scans of the project stored. Returns their number. */
  deleteScans(question: DeleteScans): Promise<number>
  /** Returns null if the run kept no body. */
  read(question: ReadContent): Promise<ReadContentAnswer>
  /** Returns null if one of the runs kept no body. */
  compare(question: ComparePages): Promise<ComparePagesAnswer>
}

/** Exceeds the maximum time for the queue, the fetch and the reading of a page. */
const scanMs = 45_000
/** Time beyond the timeout that a scan names. */
const spareMs = 15_000
const readMs = 20_000
/** Exceeds the maximum time of a language model, and of the second reading of the page with its response. */
const modelMs = 80_000

const modelMsOf = ({ wanted }: Pick<ScanPage, 'wanted'>): number => (wanted.byModel ? modelMs : 0)

export const openContents = (bus: Bus): Contents => ({
  scan(question) {
    const fetchMs = question.timeoutMs === undefined ? scanMs : question.timeoutMs + spareMs
    const timeoutMs = fetchMs + modelMsOf(question)
    return call(bus, contentRpc.scanPage, question, { timeoutMs })
  },
  drop(workId) {
    if (!bus.nc.isClosed() && !bus.nc.isDraining())
      bus.nc.publish(notifications.workDropped, encodeJson({ workId } satisfies WorkDropped))
  },
  readScan: question =>
    call(bus, contentRpc.readScan, question, { timeoutMs: readMs + modelMsOf(question) }).catch(error => {
      // Without an extractor that stores scans, such as one of an earlier version, the page is fetched.
      if (hasNoServer(error)) return null
      throw error
    }),
  deleteScans: async question =>
    (await call(bus, contentRpc.deleteScans, question, { timeoutMs: readMs })).deleted,
  read: question => call(bus, contentRpc.readContent, question, { timeoutMs: readMs + modelMsOf(question) }),
  compare: question => call(bus, contentRpc.comparePages, question, { timeoutMs: readMs }),
})
