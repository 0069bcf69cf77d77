/** `create-project`: creates a project and prints its first key, which is never shown again. */
import { parseArgs } from 'node:util'
import { call } from '@tidemark/bus/rpc'
import type { Tier } from '@tidemark/contracts/primitives'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import { CreateProject, type ProjectCreatedResponse } from '@tidemark/contracts/rpc/accounts'
import { tiers } from '@tidemark/contracts/tiers'
import { AdminError } from './admin-error.ts'
import { withBus } from './reach-instance.ts'

export const usage = `create-project --name NAME [--tier ${Object.keys(tiers).join('|')}] [--unlimited]`
export const summary = 'Creates a project and prints its key once.'

const answerLimitMs = 10_000
const namePattern = new RegExp(String(Reflect.get(CreateProject.properties.name, 'pattern')))

/** Throws AdminError for a wrong command line, and the service's Refusal if the name is taken or the service is unavailable. */
export async function run(args: string[], dir: string): Promise<ProjectCreatedResponse> {
  const question = read(args)
  return withBus(dir, bus => call(bus, accountsRpc.createProject, question, { timeoutMs: answerLimitMs }))
}

function read(args: string[]): CreateProject {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      tier: { type: 'string', default: 'pro' },
      unlimited: { type: 'boolean', default: false },
    },
  })
  const { name = '', tier, unlimited } = values
  if (!namePattern.test(name)) {
    throw new AdminError(`--name is needed: 1 to 64 of letters, digits, "_" and "-".\n  ${usage}`, 2)
  }
  if (!(tier in tiers)) throw new AdminError(`--tier ${tier} is unknown.\n  ${usage}`, 2)
  return { name, tier: tier as Tier, unlimited }
}
