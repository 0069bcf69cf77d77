/** Requests the content of pages from the extractor, which fetches them or reads the stored ones. */
import { encodeJson } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { call, hasNoServer } from '@tidemark/bus/rpc'
import type { WorkDropped } from '@tidemark/contracts/notifications'
import type {
  ComparePages,
  ComparePagesResponse,
  DeleteScans,
  ReadContent,
  ReadContentResponse,
  ReadScan,
  ReadScanResponse,
  ScannedPage,
  ScanPage,
} from '@tidemark/contracts/rpc/content'
import * as contentRpc from '@tidemark/contracts/rpc/content'
import { notifications } from '@tidemark/contracts/subjects'

/** Every request throws the extractor's `Refusal`, or `unavailable` if the extractor does not respond. */
export type Contents = {
  scan(request: ScanPage): Promise<ScannedPage>
  /** Cancels the scans of this work. Never throws, because uncancelled scans end by themselves. */
  drop(workId: number): void
  /** Returns the page that an earlier scan of the project stored, or null. */
  readScan(request: ReadScan): Promise<ReadScanResponse>
  /** Deletes the pages of an address that scans of the project stored. Returns their number. */
  deleteScans(request: DeleteScans): Promise<number>
  /** Returns null if the run kept no body. */
  read(request: ReadContent): Promise<ReadContentResponse>
  /** Returns null if one of the runs kept no body. */
  compare(request: ComparePages): Promise<ComparePagesResponse>
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
  scan(request) {
    const fetchMs = request.timeoutMs === undefined ? scanMs : request.timeoutMs + spareMs
    const timeoutMs = fetchMs + modelMsOf(request)
    return call(bus, contentRpc.scanPage, request, { timeoutMs })
  },
  drop(workId) {
    if (!bus.nc.isClosed() && !bus.nc.isDraining())
      bus.nc.publish(notifications.workDropped, encodeJson({ workId } satisfies WorkDropped))
  },
  readScan: request =>
    call(bus, contentRpc.readScan, request, { timeoutMs: readMs + modelMsOf(request) }).catch(error => {
      // Without an extractor that stores scans, such as one of an earlier version, the page is fetched.
      if (hasNoServer(error)) return null
      throw error
    }),
  deleteScans: async request =>
    (await call(bus, contentRpc.deleteScans, request, { timeoutMs: readMs })).deleted,
  read: request => call(bus, contentRpc.readContent, request, { timeoutMs: readMs + modelMsOf(request) }),
  compare: request => call(bus, contentRpc.comparePages, request, { timeoutMs: readMs }),
})
