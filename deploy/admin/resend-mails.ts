/** `resend-mails`: mails that have not left are tried once more, after whatever kept them was mended. */
import { parseArgs } from 'node:util'
import { ask } from '@tidemark/bus/ask'
import type { ResendMails, ResendMailsAnswer } from '@tidemark/contracts/ask/mails'
import { asks } from '@tidemark/contracts/subjects'
import { reachInstance } from './reach-instance.ts'

export const usage = 'resend-mails'
export const does = 'Has mails that have not left tried at once, those that were given up too.'

const answerLimitMs = 10_000

/** Throws AdminError where no instance is reached. */
export async function run(args: string[], dir: string): Promise<ResendMailsAnswer> {
  parseArgs({ args, options: {} })
  const bus = await reachInstance(dir)
  try {
    return await ask<ResendMails, ResendMailsAnswer>(bus, asks.resendMails, {}, { timeoutMs: answerLimitMs })
  } finally {
    await bus.close()
  }
}
