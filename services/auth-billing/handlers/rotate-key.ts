/** Gives a project a new key. It is in this answer and nowhere else: only its hash is kept. */
import { randomInt } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import { prefixOf } from '@tidemark/contracts/api-key'
import type { RotateKey, RotateKeyAnswer } from '@tidemark/contracts/rpc/keys'
import type { Keys } from '../adapters/keys.ts'
import { hashOf, makeKey } from '../domain/key.ts'
import { maxActive, rotate } from '../domain/key-ring.ts'

export type Ports = {
  keys: Pick<Keys, 'change'>
  /** Tells gateways that keys changed, and ACCOUNTS of a row of the outbox; null where that is not possible now. */
  tell: (outboxId: number | null) => Promise<number | null>
  trace: () => string | undefined
}

const unnamed = 'rotated'

/** Refuses a key that is good no more (`unauthorized`), and a project that has very many: `conflict`, reason `too_many_keys`. */
export const rotateKey =
  ({ keys, tell, trace }: Ports) =>
  async ({ projectId, label, graceSeconds, by }: RotateKey): Promise<RotateKeyAnswer> => {
    const plaintext = makeKey(randomInt)
    const key = { prefix: prefixOf(plaintext), hash: hashOf(plaintext), label: label ?? unnamed }
    const changed = await keys.change(projectId, trace(), (ring, at) =>
      rotate(ring, { key, graceSeconds, by, at }),
    )
    if (changed === 'unauthorized') throw refuse('unauthorized')
    if (changed === 'too_many') throw tooManyKeys()
    const { prefix } = key
    return {
      key: { api_key: plaintext, prefix, label: key.label, grace_seconds: graceSeconds },
      sequence: await tell(changed.outboxId),
    }
  }

const tooManyKeys = () =>
  refuse('conflict', {
    reason: 'too_many_keys',
    message: `This project has ${maxActive} valid keys, narrowed ones counted apart. Revoke a key, or rotate with a shorter grace_seconds.`,
  })
