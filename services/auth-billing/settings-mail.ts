/** Defines the settings for the server and the sender of mails. */
import type { MockCheckout } from '@tidemark/contracts/rpc/signup'
import { type Static, Type } from 'typebox'

export const mail = {
  SMTP_URL: Type.String({
    default: '',
    check: smtpFault,
    description:
      'The mail server, as `smtp://user:password@host:587` (STARTTLS if offered) or `smtps://…:465`. Unset: mails are written to `MAIL_OUTBOX`.',
  }),
  MAIL_FROM: Type.String({
    default: '',
    check: fromFault,
    description:
      'Sender of mails, as `Name <address>` or an address. Required with `SMTP_URL`. Default for files: `tidemark@localhost`.',
  }),
  MAIL_OUTBOX: Type.String({
    default: '',
    description:
      'Folder for mails without `SMTP_URL`: one `.eml` file each, readable by the owner only. The launcher sets `data/outbox` in `TIDEMARK_DIR`. If both are unset, mails wait. A `STRIPE_KEY` requires one of them.',
  }),
}

const Mail = Type.Object(mail)
export type MailSettings = Static<typeof Mail>

/** Returns the transport of mails. `wait`: mails wait until a start configures one. */
export const mailsLeave = ({ SMTP_URL, MAIL_OUTBOX }: MailSettings): MockCheckout['mails'] =>
  SMTP_URL !== '' ? 'server' : MAIL_OUTBOX !== '' ? 'folder' : 'wait'

/** Reports a mail server without a sender, because every server would reject such mails. */
export const mailFaults = ({ SMTP_URL, MAIL_FROM }: MailSettings): string[] =>
  SMTP_URL !== '' && MAIL_FROM === '' ? ['MAIL_FROM is missing (SMTP_URL requires a sender)'] : []

function smtpFault(text: string): string | null {
  const url = URL.parse(text)
  if (text === '' || (url !== null && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== ''))
    return null
  return 'must be a URL that begins with smtp:// or smtps://'
}

const fromPattern = /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/

function fromFault(text: string): string | null {
  return text === '' || fromPattern.test(text) ? null : 'must be an address, or a name and an <address>'
}
