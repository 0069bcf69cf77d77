/**
 * Creates the message of a mail. The same mail always becomes the same message with the same Message-ID, so that mail
 * programs recognize a second copy after a crash.
 */
import { createHash } from 'node:crypto'
import type { SendMailOptions } from 'nodemailer'
import { MailRefused } from './mail-refused.ts'

export type OutgoingMail = { key: string; to: string; subject: string; text: string; createdAt: Date }

/** `from` has the format of MAIL_FROM. Throws MailRefused when the recipient is not one address: it may be an injection. */
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

/** Excludes characters that end an address, begin another one, or end a line of SMTP. */
const oneAddress = /^[^\s<>()[\]",:;\\@\p{C}]+@[^\s<>(),;\\@\p{C}]+$/u

/** Returns a hash of the mail's key. It is as unique as the key, and safe to publish. */
export const nameOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 32)

/** Returns the address in `Name <address>`, or the whole text. */
const addressIn = (from: string) => (/<([^<>]*)>\s*$/.exec(from)?.[1] ?? from).trim()
