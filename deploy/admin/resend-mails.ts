/** `resend-mails`: sends unsent mails again, after the cause of their failure was fixed. */
import { parseArgs } from 'node:util'
import { call } from '@tidemark/bus/rpc'
import type { ResendMailsResponse } from '@tidemark/contracts/rpc/mails'
import * as mailsRpc from '@tidemark/contracts/rpc/mails'
import { reachInstance } from './reach-instance.ts'

export const usage = 'resend-mails'
export const summary = 'Retries all unsent mails at once, including those without further attempts.'

const answerLimitMs = 10_000

/** Returns the number of mails that are retried. Throws AdminError without an instance. */
export async function run(args: string[], dir: string): Promise<ResendMailsResponse> {
  parseArgs({ args, options: {} })
  const bus = await reachInstance(dir)
  try {
    return await call(bus, mailsRpc.resendMails, {}, { timeoutMs: answerLimitMs })
  } finally {
    await bus.close()
  }
}
