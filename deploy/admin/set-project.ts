/** `set-project`: sets the tier and the limits of a project, and the defaults of its scans and crawls. */
import { parseArgs } from 'node:util'
import { call } from '@tidemark/bus/rpc'
import type { CloudMode, Tier } from '@tidemark/contracts/primitives'
import type { ProjectSetResponse, SetProject } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import { tiers } from '@tidemark/contracts/tiers'
import { AdminError } from './admin-error.ts'
import { capOptions, capUsage, readCaps } from './cap-options.ts'
import { withBus } from './reach-instance.ts'

const cloudModes = ['none', 'auto', 'unblocker', 'browser', 'default']
const yesOrNo = ['true', 'false']

export const usage = `set-project --name NAME [--tier ${Object.keys(tiers).join('|')}] [--unlimited ${yesOrNo.join('|')}] ${capUsage} [--cloud-mode ${cloudModes.join('|')}] [--proxy-url URL|none]`
export const summary = 'Sets the terms of a project. Options that are not given stay unchanged.'

const answerLimitMs = 10_000

/** Throws AdminError for a wrong command line, and the service's Refusal for an unknown project or proxy. */
export async function run(args: string[], dir: string): Promise<ProjectSetResponse> {
  const question = read(args)
  return withBus(dir, bus => call(bus, accountsRpc.setProject, question, { timeoutMs: answerLimitMs }))
}

const options = {
  name: { type: 'string' },
  tier: { type: 'string' },
  unlimited: { type: 'string' },
  ...capOptions,
  'cloud-mode': { type: 'string' },
  'proxy-url': { type: 'string' },
} as const

function read(args: string[]): SetProject {
  const { name, ...given } = parseArgs({ args, options }).values
  if (!name || Object.keys(given).length === 0)
    throw new AdminError(`--name and at least one option are required.\n  ${usage}`, 2)
  const tier = oneOf('tier', given.tier, Object.keys(tiers))
  const unlimited = oneOf('unlimited', given.unlimited, yesOrNo)
  const cloudMode = oneOf('cloud-mode', given['cloud-mode'], cloudModes)
  const proxyUrl = given['proxy-url']
  const caps = readCaps(given, usage)
  if (proxyUrl === '') throw new AdminError(`--proxy-url is a URL or "none".\n  ${usage}`, 2)
  return {
    name,
    ...(tier && { tier: tier as Tier }),
    ...(unlimited && { unlimited: unlimited === 'true' }),
    ...(caps && { caps }),
    ...(cloudMode && { cloudMode: cloudMode === 'default' ? null : (cloudMode as CloudMode) }),
    ...(proxyUrl && { proxyUrl: proxyUrl === 'none' ? null : proxyUrl }),
  }
}

function oneOf(option: string, text: string | undefined, choices: readonly string[]): string | undefined {
  if (text === undefined || choices.includes(text)) return text
  throw new AdminError(`--${option} is one of ${choices.join(', ')}.\n  ${usage}`, 2)
}
