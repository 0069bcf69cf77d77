/**
 * Requests in the name of a key that the client does not have. The console vouches for a reader of a shared crawl, and
 * limits what the request may read. The key must still be valid, and the share not ended.
 */
import type { IncomingMessage } from 'node:http'
import type { KeyView } from '@tidemark/contracts/rpc/accounts'

/** The key and its project, and the shared run. `at` is the time of the share in milliseconds since 1970. */
export type Voucher = Pick<KeyView, 'prefix' | 'projectId'> & { runId: number; at: number }

const vouchers = new WeakMap<IncomingMessage, Voucher>()

/** Lets a request pass authentication without a key, as long as this key is valid. */
export const vouchFor = (request: IncomingMessage, voucher: Voucher): void => {
  vouchers.set(request, voucher)
}

/** Returns the voucher of a request; undefined: it needs a key. */
export const voucherOf = (request: IncomingMessage): Voucher | undefined => vouchers.get(request)

/** Returns the field by which a request between services says that it is of a reader of a share. */
export const sharedBy = (request: IncomingMessage): { isShared?: true } =>
  voucherOf(request) === undefined ? {} : { isShared: true }

/** The holder of the limits of a request: its project, or all readers of the project's shares. */
type Holder = number | `${number} shares`

/** Returns the holder. Readers of shares have limits of their own, so that they never delay the project. */
export const holderOf = (projectId: number, request: IncomingMessage): Holder =>
  voucherOf(request) === undefined ? projectId : `${projectId} shares`
