/** Where mails go and whom they are from. */
import type { MockCheckout } from '@tidemark/contracts/ask/signup'
import { type Static, Type } from 'typebox'

export const mail = {
  SMTP_URL: Type.String({
    default: '',
    check: smtpFault,
    description:
      'The mail server, as `smtp://user:password@host:587` (STARTTLS where it is offered) or `smtps://…:465`. Unset: mails are written to `MAIL_OUTBOX`.',
  }),
  MAIL_FROM: Type.String({
    default: '',
    check: fromFault,
    description:
      'Whom mails are from, as `Name <address>` or an address. Needed with `SMTP_URL`; files are from `tidemark@localhost` without it.',
  }),
  MAIL_OUTBOX: Type.String({
    default: '',
    description:
      'Folder for mails where there is no `SMTP_URL`: one `.eml` file each, for their owner alone to read. The launcher sets `data/outbox` in `TIDEMARK_DIR`. Both unset: mails wait; with a `STRIPE_KEY` one of them is needed.',
  }),
}

const Mail = Type.Object(mail)
export type MailSettings = Static<typeof Mail>

/** How mails leave: `wait` is not before a start that says how. */
export const mailsLeave = ({ SMTP_URL, MAIL_OUTBOX }: MailSettings): MockCheckout['mails'] =>
  SMTP_URL !== '' ? 'server' : MAIL_OUTBOX !== '' ? 'folder' : 'wait'

/** What is wrong where there is a server and nobody to send as: such a mail would be refused everywhere. */
export const mailFaults = ({ SMTP_URL, MAIL_FROM }: MailSettings): string[] =>
  SMTP_URL !== '' && MAIL_FROM === ''
    ? ['MAIL_FROM is missing (with SMTP_URL, whom mails are from must be said)']
    : []

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
