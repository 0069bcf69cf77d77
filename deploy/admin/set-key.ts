/** `set-key`: sets the caps of one key. */
import { parseArgs } from 'node:util'
import { call } from '@tidemark/bus/rpc'
import type { KeySetResponse } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import { AdminError } from './admin-error.ts'
import { capOptions, capUsage, readCaps } from './cap-options.ts'
import { withBus } from './reach-instance.ts'

export const usage = `set-key --prefix PREFIX ${capUsage}`
export const summary = 'Sets the caps of one key. Options that are not given stay unchanged.'

const answerLimitMs = 10_000

/** Throws AdminError for a wrong command line, and the service's Refusal for an unknown key. */
export async function run(args: string[], dir: string): Promise<KeySetResponse> {
  const { prefix, ...given } = parseArgs({
    args,
    options: { prefix: { type: 'string' }, ...capOptions },
  }).values
  const caps = readCaps(given, usage)
  if (!prefix || !caps) throw new AdminError(`--prefix is needed, and a cap.\n  ${usage}`, 2)
  const request = { prefix, caps }
  return withBus(dir, bus => call(bus, accountsRpc.setKey, request, { timeoutMs: answerLimitMs }))
}
