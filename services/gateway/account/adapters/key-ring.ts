/** Sends commands and requests about a project's keys to auth-billing, which owns them. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { ApiKeyView, RotatedKey } from '@tidemark/contracts/http/keys'
import type { RevokeKey, RotateKey } from '@tidemark/contracts/rpc/keys'
import * as keysRpc from '@tidemark/contracts/rpc/keys'
import { streams } from '@tidemark/contracts/subjects'
import type { ReadModelClock } from '../../read-model/adapters/projected.ts'

export type KeyRing = {
  list(projectId: number): Promise<ApiKeyView[]>
  /** Creates a key. Throws `unauthorized` if the calling key is no longer valid, like `revoke`. */
  rotate(rotation: RotateKey): Promise<RotatedKey>
  /** Revokes a key. Throws `not_found` for an unknown key, and `conflict` for the last valid one. */
  revoke(revocation: RevokeKey): Promise<void>
}

const timeoutMs = 10_000
/**
 * Maximum wait for the read model in ms. It is short, because gateways look up keys at auth-billing, and the read model
 * is only the fallback.
 */
const untilSeenMs = 500

/**
 * Opens the requests. Changes of keys resolve when the read model contains them, or shortly before, because the
 * gateways are notified first. Every function throws auth-billing's `Refusal`, or `unavailable` if it does not respond.
 */
export function openKeyRing(bus: Bus, clock: ReadModelClock): KeyRing {
  const seen = async (sequence: number | null): Promise<void> => {
    if (sequence !== null) await clock.waitFor(streams.accounts, sequence, untilSeenMs)
  }
  return {
    async list(projectId) {
      const answer = await call(bus, keysRpc.listKeys, { projectId }, { timeoutMs })
      return answer.items
    },

    async rotate(rotation) {
      const answer = await call(bus, keysRpc.rotateKey, rotation, { timeoutMs })
      await seen(answer.sequence)
      return answer.key
    },

    async revoke(revocation) {
      const answer = await call(bus, keysRpc.revokeKey, revocation, { timeoutMs })
      await seen(answer.sequence)
    },
  }
}
