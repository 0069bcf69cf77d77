/** A command to auth-billing about unsent mails. */
import { type Static, Type } from 'typebox'
import { rpc } from './rpc.ts'

/** Retries all unsent mails at once, including abandoned ones. An operator uses it after repairing the cause. */
const ResendMails = Type.Object({})

/** Number of mails that are retried, without those that are being sent at this moment. */
export const ResendMailsAnswer = Type.Object({ mails: Type.Integer() })
export type ResendMailsAnswer = Static<typeof ResendMailsAnswer>

export const resendMails = rpc({
  subject: 'ask.accounts.resend-mails',
  request: ResendMails,
  response: ResendMailsAnswer,
  callers: ['admin'],
  server: 'auth-billing',
})
