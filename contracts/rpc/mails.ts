/** A command to auth-billing about unsent mails. */
import { type Static, Type } from 'typebox'
import { rpc } from './rpc.ts'

/** Retries all unsent mails at once, including abandoned ones. An operator uses it after repairing the cause. */
const ResendMails = Type.Object({})

/** Number of mails that are retried, without those that are being sent at this moment. */
export const ResendMailsResponse = Type.Object({ mails: Type.Integer() })
export type ResendMailsResponse = Static<typeof ResendMailsResponse>

export const resendMails = rpc({
  subject: 'ask.accounts.resend-mails',
  request: ResendMails,
  response: ResendMailsResponse,
  callers: ['admin'],
  server: 'auth-billing',
})
