/** Compares a page as two runs stored it. */
import type { Content as ContentStore } from '@tidemark/content/store'
import type { ComparePages } from '@tidemark/contracts/rpc/content'
import type { ContentThread } from '../adapters/content-thread.ts'
import { decodedOrRefused } from './fetch-refusal.ts'

type Ports = {
  store: Pick<ContentStore, 'readPage'>
  thread: Pick<ContentThread, 'compare'>
  maxDecodedBytes: number
}

/** The handler returns `TextDifference` as JSON; null if a run stored no body. */
export function comparePages({ store, thread, maxDecodedBytes }: Ports) {
  return async (request: ComparePages): Promise<Uint8Array | null> => {
    const [old, fresh] = await Promise.all([sideOf(request.old), sideOf(request.new)])
    if (old === null || fresh === null) return null
    const { mode, projectId, rules } = request
    return thread.compare({ mode, old, new: fresh, rules }, `project ${projectId}`)
  }

  async function sideOf({ runId, urlKey, url, status }: ComparePages['old']) {
    const stored = await store.readPage(runId, urlKey)
    if (stored === null || stored.body === null) return null
    const body = decodedOrRefused(stored.body, stored.encodings, maxDecodedBytes)
    return { url, status, contentType: stored.contentType, headers: {}, body }
  }
}
