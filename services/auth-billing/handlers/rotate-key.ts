/** Creates a new key of a project. Only this response has the key: the service stores its hash. */
import { randomInt } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import type { RotateKey, RotateKeyResponse } from '@tidemark/contracts/rpc/keys'
import type { Announce } from '../adapters/announce.ts'
import type { Keys } from '../adapters/keys.ts'
import { makeKey } from '../domain/key.ts'
import { maxActive, rotate } from '../domain/key-ring.ts'

export type Ports = {
  keys: Pick<Keys, 'change'>
  announce: Announce
  trace: () => string | undefined
}

const defaultLabel = 'rotated'

/**
 * Creates a key with the caps of the calling key, and ends the current keys after the grace period. Rejects a request
 * by a key that is no longer valid (`unauthorized`). Rejects with `conflict`, reason `too_many_keys`, when the project
 * has the maximum number of valid keys.
 */
export const rotateKey =
  ({ keys, announce, trace }: Ports) =>
  async ({ projectId, label, graceSeconds, by }: RotateKey): Promise<RotateKeyResponse> => {
    const { plaintext, key } = makeKey(label ?? defaultLabel, randomInt)
    const changed = await keys.change(projectId, trace(), (ring, at) =>
      rotate(ring, { key, graceSeconds, by, at }),
    )
    if (changed === 'unauthorized') throw refuse('unauthorized')
    if (changed === 'too_many') throw tooManyKeys()
    const { prefix } = key
    return {
      key: { api_key: plaintext, prefix, label: key.label, grace_seconds: graceSeconds },
      sequence: await announce(changed.outboxId),
    }
  }

const tooManyKeys = () =>
  refuse('conflict', {
    reason: 'too_many_keys',
    message: `This project has ${maxActive} valid keys, the maximum; keys with restrictions have their own limit. Revoke a key, or rotate with a shorter grace_seconds.`,
  })
