/** Mails go to the server that the operator names in SMTP_URL; it is no target of customers, so no guard stands before it. */
import { messageOf, type OutgoingMail } from './mail-message.ts'
import { MailRefused } from './mail-refused.ts'

const connectMs = 10_000
const silenceMs = 30_000

/**
 * Sends a mail. Rejects with MailRefused when the server will not have this very mail, and with whatever else went
 * wrong when another try may help.
 */
export function smtpSender(url: string, from: string): (mail: OutgoingMail) => Promise<void> {
  const options = {
    url,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  return async mail => {
    // Loaded with the first mail: most processes never send one.
    const { createTransport } = await import('nodemailer')
    const message = messageOf(mail, from)
    try {
      await createTransport(options).sendMail(message)
    } catch (thrown) {
      throw isFinal(thrown) ? new MailRefused(thrown) : thrown
    }
  }
}

/** Where a 5xx is about the mail: before that it is about us, and an operator may mend it. */
const aboutTheMail = ['EENVELOPE', 'EMESSAGE']

function isFinal(thrown: unknown): boolean {
  const { code, responseCode = 0 } = thrown as { code?: string; responseCode?: number }
  return aboutTheMail.includes(code ?? '') && responseCode >= 500
}
