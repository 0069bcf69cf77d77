/**
 * Reads one page of a batch for the extractor: the same checks, prices and content as a page of a bulk scan. The name of
 * the reservation and of the bill is that of the page in its batch, so a repeated request reserves and bills nothing twice.
 */
import { refuse } from '@tidemark/bus/refusal'
import { currentTraceparent } from '@tidemark/bus/trace'
import { compress } from '@tidemark/content/zstd'
import type { BulkItem } from '@tidemark/contracts/http/scan'
import type { Ending } from '@tidemark/contracts/prices'
import type { BatchPage, ReadBatchPage } from '@tidemark/contracts/rpc/batches'
import { defaultDelayMs } from '@tidemark/contracts/rpc/fetch'
import { nameOfPart, type ServedCommit } from '@tidemark/contracts/served'
import { shownAddress } from '../http/domain/address.ts'
import { problemOf } from '../http/requests/problem-of.ts'
import { judgeSeed } from '../live-pages/judge-seed.ts'
import type { Reading } from '../live-pages/read-one.ts'
import type { CurrentTerms } from '../metering/adapters/current-terms.ts'
import { commitOf, type Payer } from '../metering/domain/metering.ts'
import { tooLarge } from './domain/bulk-answer.ts'
import { bulkWanted } from './domain/scan.ts'
import { failedItem, type ListedUrl, notRead, type Outcome, readItem } from './read-item.ts'
import type { ScanPorts } from './scan.ts'

type Answer = { header: BatchPage; blobs: Uint8Array[] }

/** Maximum bytes of an item, compressed: it travels in one message. */
const maxItemBytes = 6 * 1024 ** 2

/** Reasons for which an address is not requested at all. */
const refusals: ReadonlySet<string> = new Set(['bad_url', 'private_address', 'blocked_domain'])

/** Rejects with the `Refusal` of a service that is unavailable: then the extractor requests the page again. */
export const batchPage =
  (ports: ScanPorts & { currentTerms: CurrentTerms }) =>
  async (pageOfBatch: ReadBatchPage): Promise<Answer> => {
    const request = await withCurrentTerms(pageOfBatch, ports.currentTerms)
    const { projectId, terms, requestId, part, url } = request
    const read: BatchRead = {
      request,
      payer: { ...terms, projectId },
      one: { url, shownUrl: shownAddress(url), index: part - 1 },
    }
    try {
      await judgeSeed(ports, url)
      const wanted = { requestId, part, kind: 'page' as const, units: 1, orNone: true as const }
      const { granted, reason, held = 0 } = await ports.metering.reserve(read.payer, wanted)
      if (granted === 0)
        return held > 0 ? { header: null, blobs: [] } : answer('refused', notRead(read.one.shownUrl, reason))
      return delivered(read, await readItem(ports, projectId, read.one, readingOf(request)))
    } catch (error) {
      return failed(ports, read, error)
    }
  }

/**
 * Returns the request with the terms that the project has now, so that an operator's change applies to running batches.
 * The caps of the key are those at the start of the batch, as for crawls.
 */
async function withCurrentTerms(request: ReadBatchPage, currentTerms: CurrentTerms): Promise<ReadBatchPage> {
  const { keyCaps } = request.terms
  const terms = await currentTerms(request.projectId)
  return terms === null ? request : { ...request, terms: { ...terms, ...(keyCaps && { keyCaps }) } }
}

type BatchRead = { request: ReadBatchPage; payer: Payer; one: ListedUrl }

function delivered(read: BatchRead, { item, ending }: Outcome): Answer {
  const result = answer('ok', item, billOf(read, ending))
  if ((result.blobs[0]?.byteLength ?? 0) <= maxItemBytes) return result
  return answer('failed', tooLarge(read.one.shownUrl), billOf(read, 'failed'))
}

function failed({ metering }: ScanPorts, read: BatchRead, error: unknown): Answer {
  const { code, reason = code, message } = problemOf(error)
  if (refusals.has(reason)) {
    metering.release(read.payer, nameOfPart(read.request))
    return answer('refused', failedItem(error, read.one))
  }
  // The extractor waits for the end of an outage, whatever caused it here.
  if (code === 'unavailable') throw refuse('unavailable', { message }, { cause: error })
  if (code !== 'fetch_failed') throw error
  return answer('failed', failedItem(error, read.one), billOf(read, 'failed'))
}

function answer(
  ending: NonNullable<BatchPage>['ending'],
  item: BulkItem,
  bill: ServedCommit | null = null,
): Answer {
  return { header: { ending, bill }, blobs: [compress(Buffer.from(JSON.stringify(item)))] }
}

/** Returns the commit for SERVED, which the extractor publishes when the item is stored. */
const billOf = ({ payer, request: { requestId, part }, one }: BatchRead, ending: Ending): ServedCommit =>
  commitOf(
    payer,
    { requestId, part, operation: 'scan_batch', tried: [{ what: one.shownUrl, ending }] },
    new Date().toISOString(),
    currentTraceparent(),
  )

const readingOf = ({ url, options, workId, terms }: ReadBatchPage): Reading => ({
  url,
  maxAgeSeconds: options.maxAgeSeconds,
  userAgent: options.userAgent,
  wanted: bulkWanted(options.metadataOnly ?? false),
  site: 'policy_and_full',
  work: { workId, concurrency: options.concurrency },
  delayMs: defaultDelayMs,
  tier: terms.tier,
})
