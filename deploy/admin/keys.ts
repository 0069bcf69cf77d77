/** `create-key`, `revoke-key`, `list-keys`: an operator's commands for the keys of an existing project. */
import { parseArgs } from 'node:util'
import type { Bus } from '@tidemark/bus/connection'
import { Refusal } from '@tidemark/bus/refusal'
import { call } from '@tidemark/bus/rpc'
import { type ApiKeyView, KeyLabel } from '@tidemark/contracts/http/keys'
import type { Reason } from '@tidemark/contracts/problems'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import type { CreateKeyResponse } from '@tidemark/contracts/rpc/keys'
import * as keysRpc from '@tidemark/contracts/rpc/keys'
import { AdminError } from './admin-error.ts'
import { withBus } from './reach-instance.ts'

const answerLimitMs = 10_000
const name = { name: { type: 'string' } } as const
const labelPattern = new RegExp(String(Reflect.get(KeyLabel, 'pattern')), 'u')
const isLabel = (text: string) => text.length >= 1 && text.length <= 100 && labelPattern.test(text)

/** Creates a key and prints its secret, which is never shown again. The project's other keys do not change. */
export const createKey = {
  usage: 'create-key --name PROJECT [--label LABEL]',
  summary: 'Creates another key of a project and prints it once. The other keys stay valid.',

  /** Throws AdminError for a wrong command line, and the service's Refusal if the project does not exist. */
  async run(args: string[], dir: string): Promise<CreateKeyResponse> {
    const options = { ...name, label: { type: 'string' } } as const
    const { name: project, label = null } = parseArgs({ args, options }).values
    if (label !== null && !isLabel(label))
      throw new AdminError(`--label is up to 100 printable characters.\n  ${createKey.usage}`, 2)
    return withProject(dir, project, createKey.usage, (bus, projectId) =>
      call(bus, keysRpc.createKey, { projectId, label }, { timeoutMs: answerLimitMs }),
    )
  },
}

/** Lists the keys of a project in order of creation, with revoked and expired ones, without their secrets. */
export const listKeys = {
  usage: 'list-keys --name PROJECT',
  summary: 'Prints the keys of a project, including revoked and expired ones, without their secrets.',

  /** Throws AdminError for a wrong command line, and the service's Refusal if the project does not exist. */
  async run(args: string[], dir: string): Promise<{ project_id: number; keys: ApiKeyView[] }> {
    const { name: project } = parseArgs({ args, options: name }).values
    return withProject(dir, project, listKeys.usage, async (bus, projectId) => ({
      project_id: projectId,
      keys: (await call(bus, keysRpc.listKeys, { projectId }, { timeoutMs: answerLimitMs })).items,
    }))
  },
}

/** Revokes a key permanently and immediately. */
export const revokeKey = {
  usage: 'revoke-key --prefix PREFIX',
  summary: 'Revokes a key permanently, unless it is the last valid key of its project.',

  /** Throws AdminError for a wrong command line or key, and for the last valid one of its project. */
  async run(args: string[], dir: string): Promise<{ project_id: number; prefix: string; revoked: true }> {
    const { prefix } = parseArgs({ args, options: { prefix: { type: 'string' } } }).values
    if (!prefix) throw new AdminError(`--prefix is needed.\n  ${revokeKey.usage}`, 2)
    return withBus(dir, async bus => {
      const { key } = await call(bus, accountsRpc.findKey, { prefix }, { timeoutMs: answerLimitMs })
      if (key === null) throw new AdminError(`There is no key "${prefix}".`)
      const { projectId } = key
      const revocation = { projectId, by: null, prefix }
      await call(bus, keysRpc.revokeKey, revocation, { timeoutMs: answerLimitMs }).catch(error => {
        throw isLastKey(error) ? new AdminError(lastKey(projectId)) : error
      })
      return { project_id: projectId, prefix, revoked: true }
    })
  },
}

const isLastKey = (error: unknown) =>
  error instanceof Refusal && error.reason === ('last_key' satisfies Reason)

/** The service's own message is for the project's owner, who can rotate the key. */
const lastKey = (projectId: number) =>
  `This is the last valid key of project ${projectId}. Create another one with create-key, then revoke this one.`

async function withProject<A>(
  dir: string,
  project: string | undefined,
  usage: string,
  act: (bus: Bus, projectId: number) => Promise<A>,
): Promise<A> {
  if (!project) throw new AdminError(`--name is needed.\n  ${usage}`, 2)
  return withBus(dir, async bus => {
    // Without a change, this request returns the project as it is.
    const { project_id } = await call(
      bus,
      accountsRpc.setProject,
      { name: project },
      { timeoutMs: answerLimitMs },
    )
    return act(bus, project_id)
  })
}
