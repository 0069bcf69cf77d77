/** Makes the requested forms of a stored page, such as Markdown. */
import { headersIn } from '@tidemark/content/statements'
import type { Content as ContentStore, PageContent } from '@tidemark/content/store'
import type { ReadContent } from '@tidemark/contracts/rpc/content'
import type { ContentThread } from '../adapters/content-thread.ts'
import { decodedOrRefused } from './fetch-refusal.ts'

type Ports = {
  store: Pick<ContentStore, 'readPage'>
  thread: Pick<ContentThread, 'make'>
  maxDecodedBytes: number
}

/** The handler returns the content as JSON; null if the run stored no body. */
export function readContent({ store, thread, maxDecodedBytes }: Ports) {
  return async (request: ReadContent): Promise<Uint8Array | null> => {
    const { runId, urlKey, url, status, wanted, projectId } = request
    const stored = await store.readPage(runId, urlKey)
    if (stored === null || stored.body === null) return null
    const body = decodedOrRefused(stored.body, stored.encodings, maxDecodedBytes)
    const { contentType } = stored
    const headers = headersOf(stored)
    const owner = projectId === undefined ? `run ${runId}` : `project ${projectId}`
    const { json } = await thread.make({ url, status, contentType, headers, body, wanted }, owner)
    return json
  }
}

/** Returns the stored response headers. X-Robots-Tag is in the metadata too, in case its line was too long. */
function headersOf({ metadata, headers }: PageContent): Record<string, string> {
  const robots = typeof metadata === 'object' && metadata !== null && Reflect.get(metadata, 'x_robots_tag')
  return {
    ...(typeof robots === 'string' && { 'x-robots-tag': robots }),
    ...Object.fromEntries(headersIn(headers ?? '')),
  }
}
