/**
 * Everything that one page tells, in one pass over its bytes: what to store, and what its run has to know.
 * A body that cannot be read is a failure of the page, never of the message that it came in.
 */
import { hash } from 'node:crypto'
import { type Body, plainBody } from '@tidemark/content/body'
import { encodeEdges } from '@tidemark/content/edges'
import type { StoredPage } from '@tidemark/content/statements'
import { type Outcome, outcomeBytes } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { decodeBody } from '@tidemark/http/decode'
import { FetchError } from '@tidemark/http/fetch-error'
import type { Bodies } from '../adapters/bodies.ts'
import type { Arrived } from '../adapters/read-frame.ts'
import { factsOf } from '../domain/facts.ts'
import { failureOf } from '../domain/failure.ts'
import { partsOf } from '../domain/parts.ts'
import { inSteps } from './in-steps.ts'
import { readSitemap } from './read-sitemap.ts'

export type ReadPage = {
  page: FetchedPage
  /** Null where there is nothing to show. */
  stored: StoredPage | null
  /** In the order in which the run has to hear them. */
  outcomes: Outcome[]
}

type Ports = {
  bodies: Bodies
  /** Most bytes that a body may decode to. */
  maxDecodedBytes: number
  report: (error: unknown) => void
}

/** Rejects only while a body that lies elsewhere cannot be asked for. */
export const readPage =
  ({ bodies, maxDecodedBytes, report }: Ports) =>
  async (arrived: Arrived): Promise<ReadPage> => {
    const { page } = arrived
    const asSent = await bodies.get(arrived)
    if (asSent === null) return failed(page, 'body_lost', true)
    try {
      if (page.kind === 'sitemap') return { page, stored: null, outcomes: await readSitemap(page, asSent) }
      return await inSteps(read(page, asSent, decodeBody(asSent, page.encodings, maxDecodedBytes)))
    } catch (thrown) {
      if (thrown instanceof FetchError) return failed(page, thrown.code)
      report(thrown)
      return failed(page, 'unreadable')
    }
  }

function* read(page: FetchedPage, asSent: Buffer, decoded: Buffer): Generator<void, ReadPage> {
  const { runId, key, attempt, status, fetchedAt, contentType, storeHtml } = page
  const digest = hash('sha256', decoded, 'buffer')
  const facts = yield* factsOf(page, decoded, digest.toString('hex'))
  yield
  const { title, contentHash, rawHash, likeness, links, charset, metadata, edges, challenge } = facts
  const bytes = decoded.byteLength
  return {
    page,
    stored: {
      runId,
      urlKey: key,
      body: storeHtml ? bodyOf(page, digest, asSent, decoded) : null,
      charset,
      contentType,
      metadata: JSON.stringify(metadata),
      edges: encodeEdges(edges),
    },
    outcomes: partsOf(
      {
        type: 'page',
        runId,
        key,
        attempt,
        status,
        bytes,
        fetchedAt,
        contentType,
        title,
        contentHash,
        rawHash,
        links,
        ...(likeness !== null && { likeness }),
        ...(challenge !== null && { blocked: true }),
      },
      outcomeBytes,
    ),
  }
}

/** Where nothing had to be decoded, whatever the origin called it, the body came plain. */
const bodyOf = ({ encodings }: FetchedPage, digest: Buffer, asSent: Buffer, decoded: Buffer): Body =>
  decoded === asSent
    ? plainBody(digest, decoded)
    : { hash: digest, encodings, size: decoded.byteLength, data: asSent }

const failed = (page: FetchedPage, reason: string, transient = false): ReadPage => ({
  page,
  stored: null,
  outcomes: [failureOf(page, reason, transient)],
})
