/** Commands and questions about a project's keys to auth-billing, which owns them. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { ApiKeyView, RotatedKey } from '@tidemark/contracts/http/keys'
import type { RevokeKey, RotateKey } from '@tidemark/contracts/rpc/keys'
import * as keysRpc from '@tidemark/contracts/rpc/keys'
import { streams } from '@tidemark/contracts/subjects'
import type { ReadModelClock } from '../../read-model/adapters/projected.ts'

export type KeyRing = {
  list(projectId: number): Promise<ApiKeyView[]>
  /** Both throw `unauthorized` if the calling key is no longer valid. */
  rotate(rotation: RotateKey): Promise<RotatedKey>
  /** Throws `not_found` for a key that the project has not, `conflict` for its last valid one. */
  revoke(revocation: RevokeKey): Promise<void>
}

const timeoutMs = 10_000
/** Gateways look up keys at auth-billing. The read model is only the fallback, so its delay matters little. */
const untilSeenMs = 500

/**
 * Changes of keys resolve when the read model shows them too, or shortly before: the gateways were notified first.
 * Every function throws auth-billing's `Refusal`, or `unavailable` if it does not answer.
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
