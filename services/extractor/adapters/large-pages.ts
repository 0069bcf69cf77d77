/** Reads large pages and sitemaps of crawls on a separate thread, one at a time. Runs take turns. */

import { createThread } from '../concurrency/thread.ts'
import type { LargeAnswer, LargePageRequest } from '../handlers/read-large.ts'

export type LargePages = AsyncDisposable & {
  /** Rejects with `ThreadTerminated` when reading takes too long, exceeds the memory limit, or the thread is closed. */
  read(request: LargePageRequest): Promise<LargeAnswer>
}

export function createLargePages(): LargePages {
  const thread = createThread<LargePageRequest, LargeAnswer>({
    file: new URL('large-page-worker.ts', import.meta.url),
    timeoutMs: 20_000,
    maxMegabytes: 384,
  })
  return {
    read: request => thread.request(request, request.page.runId),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
