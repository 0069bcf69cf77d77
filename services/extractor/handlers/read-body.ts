/** All facts of one page's bytes: data to store besides the body, and outcomes for its run. */
import { hash } from 'node:crypto'
import { encodeEdges } from '@tidemark/content/edges'
import type { StoredPage } from '@tidemark/content/statements'
import { type Outcome, outcomeBytes } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { siteOf } from '@tidemark/url/site'
import { factsOf } from '../domain/facts.ts'
import { partsOf } from '../domain/parts.ts'
import { revisitOf } from '../domain/revisit.ts'

export type ReadBody = {
  /** SHA-256 of the decoded bytes. */
  digest: Uint8Array
  stored: Omit<StoredPage, 'body'>
  /** Outcomes in the order in which the run must receive them. */
  outcomes: Outcome[]
}

/**
 * Works in steps with pauses for other work.
 * @param robotsToken the product token by which X-Robots-Tag may address this crawler
 */
export function* readBody(
  page: FetchedPage,
  decoded: Buffer,
  robotsToken: string,
): Generator<void, ReadBody> {
  const { runId, key, attempt, status, fetchedAt, contentType, robotsHeader } = page
  const digest = hash('sha256', decoded, 'buffer')
  yield
  const facts = yield* factsOf(page, decoded, digest.toString('hex'), robotsToken)
  yield
  const { title, contentHash, rawHash, likeness, links, charset, metadata, edges, challenge } = facts
  const revisit = revisitOf(page, facts, decoded.byteLength)
  const ofOrder = { runId, key, attempt }
  const settled = { status, bytes: decoded.byteLength, fetchedAt, contentType, title, contentHash, rawHash }
  const some = {
    ...(likeness !== null && { likeness }),
    ...(facts.comparisonHash && { comparisonHash: facts.comparisonHash }),
    ...(challenge !== null && { blocked: true as const }),
    ...(page.rendered && { rendered: true as const }),
    ...(page.peer && { peer: page.peer }),
    ...(page.storedIn !== undefined && { carried: { since: page.storedIn } }),
    ...(facts.isLoggedOut && { isLoggedOut: true as const }),
    ...(facts.isScriptOnly && { isScriptOnly: true as const }),
  }
  return {
    digest,
    stored: {
      runId,
      urlKey: key,
      charset,
      contentType,
      metadata: JSON.stringify({
        ...(page.rendered ? {} : { elapsed_ms: Math.round(page.elapsedMs) }),
        ...metadata,
        ...(robotsHeader !== null && { x_robots_tag: robotsHeader }),
      }),
      edges: encodeEdges(edges, siteOf(new URL(page.url).hostname)),
      ...(page.headers !== undefined && { headers: page.headers }),
      ...(revisit !== null && { revisit: JSON.stringify(revisit) }),
    },
    outcomes: partsOf({ type: 'page', ...ofOrder, ...settled, links, ...some }, outcomeBytes),
  }
}
