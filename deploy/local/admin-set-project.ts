/** `set-project`: what a project's crawls do where they do not say. */
import { parseArgs } from 'node:util'
import { ask } from '@tidemark/bus/ask'
import type { ProjectSetAnswer, SetProject } from '@tidemark/contracts/ask/accounts'
import { asks } from '@tidemark/contracts/subjects'
import { AdminError } from './admin-error.ts'
import { reachInstance } from './admin-instance.ts'

export const usage = 'set-project --name NAME --proxy-url URL|none'

const answerLimitMs = 10_000

/** Throws AdminError for a wrong command line, the service's Refusal where there is no such project or proxy. */
export async function run(args: string[], dir: string): Promise<ProjectSetAnswer> {
  const question = read(args)
  const bus = await reachInstance(dir)
  try {
    return await ask<SetProject, ProjectSetAnswer>(bus, asks.setProject, question, {
      timeoutMs: answerLimitMs,
    })
  } finally {
    await bus.close()
  }
}

function read(args: string[]): SetProject {
  const options = { name: { type: 'string' }, 'proxy-url': { type: 'string' } } as const
  const { name, 'proxy-url': proxyUrl } = parseArgs({ args, options }).values
  if (!name || !proxyUrl) throw new AdminError(`--name and --proxy-url are needed.\n  ${usage}`, 2)
  return { name, proxyUrl: proxyUrl === 'none' ? null : proxyUrl }
}
