/** Facts about a response that are stored with the metadata of its page. */
import type { FetchedPage } from '@tidemark/contracts/work/page'

/** @param metadata JSON text as it is stored */
export function responseFacts(metadata: string): Pick<FetchedPage, 'elapsedMs' | 'robotsHeader'> {
  const facts = JSON.parse(metadata) as { elapsed_ms?: number; x_robots_tag?: string }
  return { elapsedMs: facts.elapsed_ms ?? 0, robotsHeader: facts.x_robots_tag ?? null }
}
