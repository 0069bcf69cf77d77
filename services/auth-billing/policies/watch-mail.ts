/** Reports unsent mails in every heartbeat, until they are sent. */

import { type PeriodicTask, repeat } from '@tidemark/bus/repeat'
import { mailWarning, type UnsentMails } from '../domain/mail-warning.ts'

type Ports = Pick<PeriodicTask, 'bus' | 'signal' | 'report'> & { unsent: () => Promise<UnsentMails> }

const pauseMs = 5_000

/** Counts unsent mails until the signal aborts. `warn` returns the latest warning; null when there is nothing to do. */
export function watchMail({ bus, unsent, signal, report }: Ports): {
  ended: Promise<void>
  warn: () => string | null
} {
  let warning: string | null = null
  const check = async () => {
    warning = mailWarning(await unsent())
  }
  return {
    ended: repeat(check, { ...{ name: 'the check of mails', bus, isSpare: true }, pauseMs, signal, report }),
    warn: () => warning,
  }
}
