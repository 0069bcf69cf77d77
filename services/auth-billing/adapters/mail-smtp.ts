/** Sends mails to the server in SMTP_URL. The operator chooses it, not a client, so its address is not guarded. */
import { messageOf, type OutgoingMail } from './mail-message.ts'
import { MailRefused } from './mail-refused.ts'

const connectMs = 10_000
const silenceMs = 30_000

/**
 * Returns a function that sends a mail. It rejects with MailRefused when the server rejects this mail permanently, else
 * with the original error.
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

/**
 * Steps of SMTP at which a 5xx concerns the mail. At earlier steps it concerns the configuration, which an operator can
 * correct.
 */
const aboutTheMail = ['EENVELOPE', 'EMESSAGE']

function isFinal(thrown: unknown): boolean {
  const { code, responseCode = 0 } = thrown as { code?: string; responseCode?: number }
  return aboutTheMail.includes(code ?? '') && responseCode >= 500
}
