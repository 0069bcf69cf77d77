/** A command to auth-billing about mails that have not left. */
import { type Static, Type } from 'typebox'

/** Tries them all anew and at once, those that were given up too: for an operator who has mended why they did not leave. */
export const ResendMails = Type.Object({})
export type ResendMails = Static<typeof ResendMails>

/** How many are tried now; one that is on its way at this moment is none of them. */
export type ResendMailsAnswer = { mails: number }
