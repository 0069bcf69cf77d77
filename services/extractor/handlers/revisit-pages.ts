/** Handles unmodified pages: copies them from the earlier run, and publishes their outcomes again. */
import { decodeEdges } from '@tidemark/content/edges'
import { type CopiedPage, nameOfCopy, type PageCopy } from '@tidemark/content/revisits'
import { type Outcome, outcomeBytes } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { inSteps } from '../concurrency/in-steps.ts'
import { partsOf } from '../domain/parts.ts'
import { outcomeOfUnchanged, type Unchanged } from '../domain/revisit.ts'

/** Returns the outcomes of unmodified pages, in the order in which their runs must receive them. */
export type RevisitPages = (pages: readonly FetchedPage[]) => Promise<ReadonlyMap<FetchedPage, Outcome[]>>

type Ports = {
  /** Copies pages. Returns those that an earlier run has, by `nameOfCopy`. */
  copy: (copies: readonly PageCopy[]) => Promise<ReadonlyMap<string, CopiedPage>>
}

type Revisited = FetchedPage & { notModifiedSince: number }

export const revisitPages =
  ({ copy }: Ports): RevisitPages =>
  async pages => {
    const revisited = pages.filter(isRevisited)
    if (revisited.length === 0) return new Map()
    const copied = await copy(revisited.map(copyOf))
    return new Map(await inSteps(outcomeSteps(revisited, copied)))
  }

function* outcomeSteps(
  pages: readonly Revisited[],
  copied: ReadonlyMap<string, CopiedPage>,
): Generator<void, [FetchedPage, Outcome[]][]> {
  const results: [FetchedPage, Outcome[]][] = []
  for (const page of pages) {
    const found = copied.get(nameOfCopy(copyOf(page)))
    const outcome = outcomeOfUnchanged(page, page.notModifiedSince, found ? unpacked(found) : null)
    results.push([page, outcome.type === 'page' ? partsOf(outcome, outcomeBytes) : [outcome]])
    yield
  }
  return results
}

const isRevisited = (page: FetchedPage): page is Revisited => page.notModifiedSince !== undefined

const copyOf = ({ runId, key, notModifiedSince, storeHtml }: Revisited): PageCopy => ({
  runId,
  urlKey: key,
  since: notModifiedSince,
  keepsBody: storeHtml,
})

/** Returns null if the copy is unreadable: the page is then fetched from its origin. */
function unpacked({ contentType, metadata, edges, revisit }: CopiedPage): Unchanged | null {
  try {
    return { contentType, metadata: JSON.parse(metadata), edges: decodeEdges(edges), revisit }
  } catch {
    return null
  }
}
