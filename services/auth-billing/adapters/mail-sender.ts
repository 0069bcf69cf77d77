/** Sends mails through the operator's mail server or as files, and logs its choice once, without a password. */
import type { Logger } from '@tidemark/telemetry/log'
import type { MailSettings } from '../settings-mail.ts'
import type { OutgoingMail } from './mail-message.ts'
import { outboxSender } from './mail-outbox.ts'
import { smtpSender } from './mail-smtp.ts'

const defaultFrom = 'Tidemark <tidemark@localhost>'

/**
 * Returns a function that sends a mail; null if neither SMTP_URL nor MAIL_OUTBOX is set: mails then wait until the
 * service starts with one of them.
 */
export function mailSender(
  { SMTP_URL, MAIL_FROM, MAIL_OUTBOX }: MailSettings,
  log: Pick<Logger, 'info' | 'warn'>,
): ((mail: OutgoingMail) => Promise<void>) | null {
  if (SMTP_URL !== '') {
    log.info(`mails are sent by ${new URL(SMTP_URL).host}`)
    return smtpSender(SMTP_URL, MAIL_FROM)
  }
  if (MAIL_OUTBOX !== '') {
    log.info(`mails are written to ${MAIL_OUTBOX}`)
    return outboxSender(MAIL_OUTBOX, MAIL_FROM || defaultFrom)
  }
  log.warn('mails are not sent: set SMTP_URL or MAIL_OUTBOX')
  return null
}
