/** Ends shares at auth-billing. Every look-up of a key returns the ended shares of its project. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { EndShares } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'

/** Resolves when every gateway has been notified. */
export type EndSharesOf = (shares: EndShares) => Promise<unknown>

const timeoutMs = 5_000

export const endSharesBy =
  (bus: Bus): EndSharesOf =>
  shares =>
    call(bus, accountsRpc.endShares, shares, { timeoutMs })
