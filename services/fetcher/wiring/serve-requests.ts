/**
 * Serves synchronous requests to the fetcher: for pages by any backend, for searches, and for its capabilities.
 */
import { serve } from '@tidemark/bus/rpc'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import * as operatorRpc from '@tidemark/contracts/rpc/operator'
import * as searchRpc from '@tidemark/contracts/rpc/search'
import type { Lane } from '@tidemark/contracts/subjects'
import { lendBodies } from '../adapters/lent-bodies.ts'
import type { ThrottledHosts } from '../adapters/throttled-hosts.ts'
import type { Backends } from '../backends/open.ts'
import type { AcquireSendPermit } from '../concurrency/request-scheduler.ts'
import { answerFetch } from '../handlers/answer-fetch.ts'
import { answerSearch } from '../handlers/answer-search.ts'
import type { Work } from './consuming.ts'

type Answering = Work & {
  backends: Backends
  lanes: ReadonlySet<Lane>
  throttled: ThrottledHosts
  /**
   * Waits for a slot for a rendered page. Rendered pages have their own permits, so that they block no other
   * requests.
   */
  acquireRenderPermit: AcquireSendPermit
}

/** Serves until the signal aborts. Resolves when all requests have their response. */
export async function serveRequests({
  backends,
  lanes,
  throttled,
  acquireRenderPermit,
  ...work
}: Answering): Promise<void> {
  const { bus, settings, bulky, packBody, reading, acquireSendPermit, signal, hardStop, insistence, report } =
    work
  const ports = {
    chooseBackend: backends.chooseBackend,
    packBody,
    lentBodies: lendBodies({ bulky, ...insistence }),
    dropped: work.endedRuns,
    reading,
    maxBytes: Math.max(settings.MAX_BODY_BYTES, settings.MAX_SITEMAP_BYTES),
    hardStop,
  }
  const fetchNow = answerFetch({ ...ports, acquireSendPermit })
  const renderNow = answerFetch({ ...ports, acquireSendPermit: acquireRenderPermit })
  const serving = { signal, report }
  const ofHttp = () => [
    serve(bus, fetchRpc.fetchNow, fetchNow, serving),
    serve(bus, searchRpc.searchWeb, answerSearch(backends.search, hardStop), serving),
    serve(bus, searchRpc.cloudState, backends.reportState, serving),
  ]
  const ofBrowser = () => [
    serve(bus, fetchRpc.renderNow, renderNow, serving),
    serve(bus, searchRpc.browserState, backends.reportBrowser, serving),
  ]
  const ofAll = serve(bus, operatorRpc.throttledHosts, ({ limit }) => throttled.read(limit), serving)
  await Promise.all([
    ofAll,
    ...(lanes.has('http') ? ofHttp() : []),
    ...(lanes.has('browser') ? ofBrowser() : []),
  ])
}
