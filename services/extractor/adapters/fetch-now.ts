/** Requests one page from the fetcher. This process itself has no network access. */
import type { Bulky } from '@tidemark/bus/bulky'
import type { Bus } from '@tidemark/bus/connection'
import { call, hasNoServer } from '@tidemark/bus/rpc'
import type { FetchedNow, FetchNow } from '@tidemark/contracts/rpc/fetch'
import * as fetchRpc from '@tidemark/contracts/rpc/fetch'
import type { ResponseOf, Rpc } from '@tidemark/contracts/rpc/rpc'
import * as searchRpc from '@tidemark/contracts/rpc/search'
import { bufferOf } from '../domain/buffer-of.ts'

export type Failed = Extract<FetchedNow, { is: 'failed' }>
/** `body` is as the origin sent it, still encoded, or, from a browser, the serialized document. */
export type Fetched = Omit<Extract<FetchedNow, { is: 'fetched' }>, 'bulkyKey' | 'picture'> & {
  body: Buffer
  /** PNG. */
  picture?: Buffer
}

/**
 * Fails as `not_configured` if fetchers are running but none renders. Rejects with a `Refusal` (`unavailable`) if no
 * fetcher is running.
 */
export type FetchPage = (request: FetchNow) => Promise<Fetched | Failed>

/** Time for the RPC, in addition to the time limit of the request. */
const travelMs = 1_500
/** Time for a fetcher to respond to a ping. */
const presenceMs = 1_000

/** @param report receives the error when a body stays in the object store, where it expires by its age */
export function fetchByBus(bus: Bus, bulky: Bulky, report: (error: unknown) => void): FetchPage {
  return async request => {
    const rpc = request.by?.backend === 'browser' ? fetchRpc.renderNow : fetchRpc.fetchNow
    const timeoutMs = request.timeoutMs + travelMs
    const { header: answer, blobs } = await call(bus, rpc, request, { timeoutMs }).catch(error =>
      unrendered(rpc, error),
    )
    if (answer.is === 'failed') return answer
    const { bulkyKey, picture: travelled, ...fetched } = answer
    const [body, picture] = await Promise.all([
      blobOf(bulkyKey, blobs[0]),
      travelled === undefined ? undefined : blobOf(travelled.bulkyKey, blobs[1]),
    ])
    if (!body) return { is: 'failed', reason: 'protocol', message: 'The body was lost.', hops: fetched.hops }
    return { ...fetched, body, ...(picture && { picture }) }
  }

  /**
   * Returns `not_configured` if fetchers are running but none renders, because that is a setting and permanent. Throws
   * if no fetcher is running, because that is temporary.
   */
  async function unrendered(rpc: Rpc, error: unknown): Promise<ResponseOf<typeof fetchRpc.renderNow>> {
    if (rpc !== fetchRpc.renderNow || !hasNoServer(error)) throw error
    await call(bus, searchRpc.cloudState, null, { timeoutMs: presenceMs })
    return { header: withoutBrowser, blobs: [] }
  }

  /** Returns the bytes; undefined if the body was lost. */
  async function blobOf(key: string | null, sent: Uint8Array | undefined): Promise<Buffer | undefined> {
    const bytes = key === null ? sent : await bulky.get(key)
    if (key !== null) bulky.delete(key).catch(report)
    return bytes ? bufferOf(bytes) : undefined
  }
}

const withoutBrowser: Failed = {
  is: 'failed',
  reason: 'not_configured',
  message: 'No fetcher of this installation renders pages. Add browser to FETCH_LANES of a fetcher.',
  hops: [],
}
