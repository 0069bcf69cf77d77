/** Creates a project with its first key. Only this response has the key: the service stores its hash. */
import { randomInt } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import type { CreateProject, ProjectCreatedResponse } from '@tidemark/contracts/rpc/accounts'
import type { Accounts } from '../adapters/accounts.ts'
import type { NotFree } from '../adapters/names.ts'
import { makeKey } from '../domain/key.ts'
import { createProject as decide } from '../domain/project.ts'

export type Ports = {
  accounts: Accounts
  /** Notifies the relay of a new row in the outbox. */
  publish: (outboxId: number) => void
  trace: () => string | undefined
}

const firstLabel = 'default'

/** Creates a project. Rejects with 409 `conflict`, reason `name_taken`, when the name is taken or reserved. */
export const createProject =
  ({ accounts, publish, trace }: Ports) =>
  async ({ name, tier, unlimited }: CreateProject): Promise<ProjectCreatedResponse> => {
    const at = new Date().toISOString()
    const { plaintext, key } = makeKey(firstLabel, randomInt)
    const created = await accounts.create({ name, tier, unlimited, at, trace: trace() }, projectId =>
      decide({ projectId, name, tier, unlimited, at, key }),
    )
    if (typeof created === 'string') throw nameTaken(name, created)
    publish(created.outboxId)
    return { project_id: created.projectId, name, tier, api_key: plaintext, prefix: key.prefix }
  }

const nameTaken = (name: string, why: NotFree) =>
  refuse('conflict', {
    reason: 'name_taken',
    field: 'name',
    message:
      why === 'reserved'
        ? `The name "${name}" is reserved by an unpaid checkout for up to 24 hours. Choose another name, or try again later.`
        : `There is a project "${name}" already. Choose another name.`,
  })
