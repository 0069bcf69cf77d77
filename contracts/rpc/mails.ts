/** A command to auth-billing about mails that have not left. */
import { type Static, Type } from 'typebox'
import { rpc } from './rpc.ts'

/** Tries them all anew and at once, those that were given up too: for an operator who has mended why they did not leave. */
const ResendMails = Type.Object({})

/** How many are tried now; one that is on its way at this moment is none of them. */
export const ResendMailsAnswer = Type.Object({ mails: Type.Integer() })
export type ResendMailsAnswer = Static<typeof ResendMailsAnswer>

export const resendMails = rpc({
  subject: 'ask.accounts.resend-mails',
  request: ResendMails,
  response: ResendMailsAnswer,
  callers: ['admin'],
  server: 'auth-billing',
})
