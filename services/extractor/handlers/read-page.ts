/**
 * Everything that one page tells, in one pass over its bytes: what to store, and what its run has to know.
 * A body that cannot be read is a failure of the page, never of the message that it came in.
 */
import { type Body, plainBody } from '@tidemark/content/body'
import type { StoredPage } from '@tidemark/content/statements'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { decodeBody } from '@tidemark/http/decode'
import { FetchError } from '@tidemark/http/fetch-error'
import type { Bodies } from '../adapters/bodies.ts'
import type { LargePages } from '../adapters/large-pages.ts'
import type { Arrived } from '../adapters/read-frame.ts'
import { failureOf } from '../domain/failure.ts'
import { inSteps } from './in-steps.ts'
import { readBody } from './read-body.ts'
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
  largePages: Pick<LargePages, 'read'>
  /** Most bytes that a body may decode to. */
  maxDecodedBytes: number
  report: (error: unknown) => void
}

/** Larger ones are read elsewhere, for here they would hold others up. */
const largeBytes = 1024 ** 2

/** Rejects only while a body that lies elsewhere cannot be asked for. */
export const readPage =
  ({ bodies, largePages, maxDecodedBytes, report }: Ports) =>
  async (arrived: Arrived): Promise<ReadPage> => {
    const { page } = arrived
    const asSent = await bodies.get(arrived)
    if (asSent === null) return failed(page, 'body_lost', true)
    try {
      if (page.kind === 'sitemap') return { page, stored: null, outcomes: await readSitemap(page, asSent) }
      const decoded = decodeBody(asSent, page.encodings, maxDecodedBytes)
      const isLarge = decoded.byteLength > largeBytes
      const read = await (isLarge ? largePages.read(page, decoded) : inSteps(readBody(page, decoded)))
      const body = page.storeHtml ? bodyOf(page, Buffer.from(read.digest), asSent, decoded) : null
      return { page, stored: { ...read.stored, body }, outcomes: read.outcomes }
    } catch (thrown) {
      if (thrown instanceof FetchError) return failed(page, thrown.code)
      report(thrown)
      return failed(page, 'unreadable')
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
