/** Part of the wiring: the replays of stored pages, on separate threads, so that no crawl waits for them. */
import { inShares } from '@tidemark/bus/at-most'
import type { Owner } from '@tidemark/bus/fair-line'
import { serve } from '@tidemark/bus/rpc'
import * as replayRpc from '@tidemark/contracts/rpc/replay'
import { createBodies } from '../adapters/bodies.ts'
import { listenForDroppedWork } from '../adapters/dropped-work.ts'
import { createStoredPdfHeads } from '../adapters/pdf-thread.ts'
import { createReplayThread } from '../adapters/replay/replay-thread.ts'
import { ThreadTerminated } from '../concurrency/thread.ts'
import { createPageReader } from '../handlers/read-page.ts'
import { replayPages } from '../handlers/replay/replay-pages.ts'
import type { ExtractorParts } from './parts.ts'

type Parts = Pick<ExtractorParts, 'settings' | 'bus' | 'bulky' | 'store' | 'signal' | 'report'>

/** Maximum concurrent replays. Each holds a page, and all but one wait for the thread. */
const replaysAtOnce = 12
/**
 * Maximum concurrent replays of a project: one more than a gateway permits, because a replay ends shortly after its
 * client has left.
 */
const replaysOfProject = 3

/** Resolves when the signal has aborted and all pending requests are answered. */
export async function serveReplays({ settings, bus, bulky, store, ...serving }: Parts): Promise<void> {
  await using thread = createReplayThread()
  await using heads = settings.READ_PDFS ? createStoredPdfHeads() : null
  using dropped = listenForDroppedWork(bus)
  // Pages that exceed the limits are not logged again: they were logged when they were fetched, and the client receives
  // them.
  const report = (error: unknown) => {
    if (!(error instanceof ThreadTerminated)) serving.report(error)
  }
  const readerOf = (owner: Owner) =>
    createPageReader({
      bodies: createBodies(bulky),
      storedPages: null,
      largePages: { read: request => thread.read(request, owner) },
      pdfs: heads && { head: encoded => heads.head(encoded, owner) },
      maxDecodedBytes: settings.MAX_DECODED_BYTES,
      robotsToken: settings.ROBOTS_TOKEN,
      report,
    })
  const replay = replayPages({ store, readerOf, compare: thread.compare, dropped, report })
  await serve(bus, replayRpc.replayPages, inShares(replaysAtOnce, replay, replaysOfProject), serving)
}
