/** Reads large pages of crawls on a thread of their own, one after the other. */
import type { FetchedPage } from '@tidemark/contracts/work/page'
import type { ReadBody } from '../handlers/read-body.ts'
import { createThread } from './thread.ts'

export type LargePages = AsyncDisposable & {
  /** Rejects when reading takes too long, or more memory than it may. */
  read(page: FetchedPage, decoded: Buffer): Promise<ReadBody>
}

export function createLargePages(): LargePages {
  const thread = createThread<{ page: FetchedPage; decoded: Buffer }, ReadBody>({
    file: new URL('large-page-worker.ts', import.meta.url),
    timeoutMs: 20_000,
    mostMegabytes: 384,
  })
  return {
    read: (page, decoded) => thread.ask({ page, decoded }),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}
