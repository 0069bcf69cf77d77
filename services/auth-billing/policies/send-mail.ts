/** Sends mails when they are due. A failed mail is retried with growing pauses, and given up after a day. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type PeriodicTask, repeat } from '@tidemark/bus/repeat'
import type { Logger } from '@tidemark/telemetry/log'
import type { SendResult, WaitingMail } from '../adapters/mail.ts'
import type { OutgoingMail } from '../adapters/mail-message.ts'
import { pauseAfter } from '../domain/mail-retries.ts'

export type Ports = Pick<PeriodicTask, 'bus' | 'signal' | 'report'> & {
  /** Sends the next mail and stores the result. Returns false when none is due. */
  sendNext: (send: (mail: WaitingMail) => Promise<SendResult>) => Promise<boolean>
  open: (sealed: string) => string
  deliver: (mail: OutgoingMail) => Promise<void>
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

const pauseMs = 1_000
const pauseAfterFailureMs = 5_000
/** Time for the mail that is being sent when the service stops. */
const graceMs = 5_000

/** Sends mails until the signal aborts. */
export async function sendMail({ bus, sendNext, signal, report, ...ports }: Ports): Promise<void> {
  const send = (mail: WaitingMail) => trySending(mail, { ...ports, signal })
  const sendDue = async () => ((await sendNext(send)) ? ('more' as const) : undefined)
  await repeat(sendDue, {
    ...{ name: 'the sending of mails', bus, isSpare: true },
    ...{ pauseMs, afterFailureMs: pauseAfterFailureMs, signal, report },
  })
}

async function trySending(
  { sealed, ...mail }: WaitingMail,
  { open, deliver, log, signal }: Omit<Ports, 'bus' | 'sendNext' | 'report'>,
): Promise<SendResult> {
  const fields = { mail: mail.id, attempt: mail.attempts + 1 }
  try {
    await untilGrace(deliver({ ...mail, text: open(sealed) }), signal)
    log.info(fields, 'a mail was sent')
    return 'sent'
  } catch (thrown) {
    if (thrown instanceof Stopped) throw thrown
    const { error, isFinal, ...safe } = describe(thrown)
    const inSeconds = pauseAfter(fields.attempt, isFinal)
    if (inSeconds === null) log.error({ ...fields, ...safe }, 'a mail was not sent after its last attempt')
    else log.warn({ ...fields, ...safe, retry_in_seconds: inSeconds }, 'a mail could not be sent')
    return { error, inSeconds }
  }
}

/** Thrown when the service stops before the mail is sent. The next start sends it. */
class Stopped extends Error {
  override readonly name = 'Stopped'
}

async function untilGrace(delivered: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const stopped = new Promise<never>((_, reject) => {
    const stop = () =>
      void sleep(graceMs, undefined, { signal: over.signal })
        .then(() => reject(new Stopped('the service stops')))
        .catch(() => {})
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true, signal: over.signal })
  })
  await Promise.race([delivered, stopped]).finally(() => over.abort())
}

const maxErrorLength = 500

/** Texts of a mail server may name the recipient. They are stored beside the address, and never logged. */
function describe(thrown: unknown) {
  const { code, responseCode } = thrown as { code?: string; responseCode?: number }
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return {
    error: message.slice(0, maxErrorLength),
    isFinal: code === 'MAIL_REFUSED',
    ...(code !== undefined && { code }),
    ...(responseCode !== undefined && { response_code: responseCode }),
  }
}
