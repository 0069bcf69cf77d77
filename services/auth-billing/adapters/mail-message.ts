/**
 * One mail as the world sees it. The same mail is always the same message, with the same Message-ID, so that a second
 * copy after a crash is known for what it is.
 */
import { createHash } from 'node:crypto'
import type { SendMailOptions } from 'nodemailer'
import { MailRefused } from './mail-refused.ts'

export type OutgoingMail = { key: string; to: string; subject: string; text: string; createdAt: Date }

/** `from` is as MAIL_FROM has it. Throws MailRefused where the recipient is not one address, for it may be a trick. */
export function messageOf(
  { key, to, subject, text, createdAt }: OutgoingMail,
  from: string,
): SendMailOptions {
  if (!oneAddress.test(to)) throw new MailRefused(new Error('the recipient is not one address'))
  return {
    from,
    to: { name: '', address: to },
    envelope: { from: addressIn(from), to: [to] },
    subject,
    text,
    date: createdAt,
    messageId: `<${nameOf(key)}@${addressIn(from).split('@').at(-1)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Nothing in it ends an address, opens another, or ends a line of SMTP. */
const oneAddress = /^[^\s<>()[\]",:;\\@\p{C}]+@[^\s<>(),;\\@\p{C}]+$/u

/** What stands for the key where others can read it: as unique, and it tells nothing. */
export const nameOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 32)

/** The address in `Name <address>`, or the whole. */
const addressIn = (from: string) => (/<([^<>]*)>\s*$/.exec(from)?.[1] ?? from).trim()
