/** The embeddings of an export so far, and the bill of one request for them. */
import type { ExportEmbeddings } from '@tidemark/contracts/http/exports'
import { spentOn } from '@tidemark/contracts/plain-text'
import type { Operation } from '@tidemark/contracts/prices'
import { type ServedCommit, servedLimits } from '@tidemark/contracts/served'

/** `calls` is the number of requests that were answered and billed. */
export type Embedded = ExportEmbeddings & { calls: number }

/** The name of a call in the ledger: the same for every try, so that it is reserved and billed once. */
export type CallName = { requestId: string; part?: number }

/** Returns the name of the next call of an export. */
export function nextCall(id: number, embedded: Embedded | null): CallName {
  const part = (embedded?.calls ?? 0) + 1
  return { requestId: `export-${id}`, ...(part > 1 && { part }) }
}

const operation: Operation = 'export_embeddings'

/** Returns the commit for the stream SERVED. @param what the seed of the crawl */
export function billOf(
  { projectId, trace }: { projectId: number; trace: string | null },
  name: CallName,
  { model, tokens, what, at }: { model: string; tokens: number; what: string; at: string },
): ServedCommit {
  const common = { projectId, ...name, operation }
  const called = { model, inputTokens: tokens, outputTokens: 0, what: spentOn(what, servedLimits.whatBytes) }
  return {
    at,
    ...(trace !== null && { trace }),
    events: [
      { type: 'RequestServed', data: { ...common, units: [], costUsd: 0 } },
      { type: 'ModelCalled', data: { ...common, ...called } },
    ],
  }
}
