/** Defines the common interface of all backends: our HTTP clients, a browser, and a vendor's network. */

import type { SessionCookie } from '@tidemark/contracts/login/session'
import type { By, FetchNow } from '@tidemark/contracts/rpc/fetch'
import type { Fetched } from '@tidemark/http/fetch'
import type { RequestCallbacks } from '../adapters/reporting-client.ts'
import type { RequestResult } from '../handlers/send-request.ts'

/** The limits and callbacks of one request, for every backend. */
export type RequestContext = RequestCallbacks & {
  /** Maximum size of the body in bytes. */
  maxBytes: number
  /** Aborts the request when its time has passed, or the client has left. */
  signal: AbortSignal
}

export type BackendPage = Fetched & {
  /** A PNG of the page. */
  picture?: Buffer
  /** Why the picture does not show the whole page, as a sentence for the client. */
  pictureWarning?: string
  /** Why the body may lack parts of the page, as sentences for the client. */
  warnings?: readonly string[]
  /** The cookies of the browser after a login. */
  cookies?: readonly SessionCookie[]
  /** The content type of the origin if the backend returns another document; null if the origin sent none. */
  sentAs?: string | null
  /** Bytes on the wire in both directions, if they were counted. */
  moved?: number
  /** Price that the vendor charges, in dollars. */
  costUsd?: number
}

export type BackendResult =
  | Extract<RequestResult, { error: unknown }>
  | { fetched: BackendPage; backOffMs: number | null }

/** Fetches one page, and returns it or the error of the fetch. Rejects only with the signal's reason. */
export type Backend<Choice = By> = (
  request: FetchNow,
  by: Choice,
  context: RequestContext,
) => Promise<BackendResult>

/** The part of `By` that names this backend. */
export type ByOf<Name extends By['backend']> = Extract<By, { backend: Name }>
