/** Gives a project a new key. It is in this answer and nowhere else: only its hash is kept. */
import { randomInt } from 'node:crypto'
import { Refusal } from '@tidemark/bus/ask'
import { prefixOf } from '@tidemark/contracts/api-key'
import type { RotateKey, RotateKeyAnswer } from '@tidemark/contracts/ask/keys'
import { problems } from '@tidemark/contracts/problems'
import type { Keys } from '../adapters/keys.ts'
import { hashOf, makeKey } from '../domain/key.ts'
import { mostActive, rotate } from '../domain/key-ring.ts'

export type Ports = {
  keys: Pick<Keys, 'change'>
  /** Tells gateways that keys changed, and ACCOUNTS of a row of the outbox; null where that is not possible now. */
  tell: (outboxId: number | null) => Promise<number | null>
  trace: () => string | undefined
}

const unnamed = 'rotated'

/** Refuses a project that has very many valid keys: 409 `conflict`, reason `too_many_keys`. */
export const rotateKey =
  ({ keys, tell, trace }: Ports) =>
  async ({ projectId, label, graceSeconds, caps }: RotateKey): Promise<RotateKeyAnswer> => {
    const at = new Date().toISOString()
    const plaintext = makeKey(randomInt)
    const key = { prefix: prefixOf(plaintext), hash: hashOf(plaintext), label: label ?? unnamed }
    const changed = await keys.change(projectId, { at, trace: trace() }, ring =>
      rotate(ring, { key, graceSeconds, caps, at }),
    )
    if (changed === 'too_many') throw tooManyKeys()
    const { prefix } = key
    return {
      key: { api_key: plaintext, prefix, label: key.label, grace_seconds: graceSeconds },
      sequence: await tell(changed.outboxId),
    }
  }

const tooManyKeys = () =>
  new Refusal({
    status: problems.conflict.status,
    code: 'conflict',
    reason: 'too_many_keys',
    message: `This project has ${mostActive} valid keys. Revoke some, or rotate with a shorter grace_seconds.`,
  })
