/** A client for servers on loopback, and its fetches from one of them. */
import type { Origin } from '@tidemark/testing/origin'
import { systemResolver } from '@tidemark/testing/system-resolver'
import type { HttpClient } from './client.ts'
import { type Fetched, fetchPage, type PageRequest } from './fetch.ts'
import { FetchError } from './fetch-error.ts'
import { createGuard } from './guard.ts'

export const guard = createGuard({ allow: ['127.1.0.0/16'] })
export const settings = { guard, resolver: systemResolver, connectTimeoutMs: 5_000, connectionsPerOrigin: 4 }
export const limits = { maxBytes: 1_000_000, maxHops: 5, timeoutMs: 20_000 }

/**
 * Returns two functions that take a path of the origin or a complete URL: `get` fetches it, and `failure` returns the
 * error of the fetch.
 */
export function fetchingFrom(origin: Pick<Origin, 'url'>, client: HttpClient) {
  const get = (path: string, more: Partial<PageRequest> = {}): Promise<Fetched> =>
    fetchPage(client, { ...limits, url: path.startsWith('/') ? origin.url + path : path, ...more })
  const failure = (path: string, more: Partial<PageRequest> = {}): Promise<FetchError> =>
    get(path, more).then(
      ({ status }) => Promise.reject(new Error(`${path} answered ${status}`)),
      error => (error instanceof FetchError ? error : Promise.reject(error)),
    )
  return { get, failure }
}
