/**
 * Requests that use a key which the client does not have. The console grants them to readers of a shared crawl, and
 * limits which data the request may read. The key must still be valid, and the share not ended.
 */
import type { IncomingMessage } from 'node:http'
import type { KeyView } from '@tidemark/contracts/rpc/accounts'

/** The key and its project, and the shared run. `at` is the time at which the share was created, in milliseconds since 1970. */
export type ShareAccess = Pick<KeyView, 'prefix' | 'projectId'> & { runId: number; at: number }

const accesses = new WeakMap<IncomingMessage, ShareAccess>()

/** Lets a request pass authentication without a key, as long as this key is valid. */
export const grantShareAccess = (request: IncomingMessage, access: ShareAccess): void => {
  accesses.set(request, access)
}

/** Returns the share access of a request; undefined: the request needs a key. */
export const shareAccessOf = (request: IncomingMessage): ShareAccess | undefined => accesses.get(request)

/** Returns the field that marks a request between services as one for a reader of a share. */
export const sharedBy = (request: IncomingMessage): { isShared?: true } =>
  shareAccessOf(request) === undefined ? {} : { isShared: true }

/** The holder of the limits of a request: its project, or all readers of the project's shares. */
type Holder = number | `${number} shares`

/** Returns the holder. Readers of shares have limits of their own, so that they never delay the project. */
export const holderOf = (projectId: number, request: IncomingMessage): Holder =>
  shareAccessOf(request) === undefined ? projectId : `${projectId} shares`
