/** Whenever mails have not left that should have, every heartbeat says so, until they have or somebody has seen to them. */
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'
import { mailWarning, type UnsentMails } from '../domain/mail-warning.ts'

export type Ports = {
  bus: Pick<Bus, 'nc'>
  unsent: () => Promise<UnsentMails>
  signal: AbortSignal
  report: (error: unknown) => void
}

const pauseMs = 5_000

/** Looks until the signal aborts; `warn` has what was found last, null where all is well. */
export function watchMail({ bus, unsent, signal, report }: Ports): {
  ended: Promise<void>
  warn: () => string | null
} {
  let warning: string | null = null
  const look = async () => {
    warning = mailWarning(await unsent())
  }
  return {
    ended: again(look, { ...{ name: 'the look at mails', bus, isSpare: true }, pauseMs, signal, report }),
    warn: () => warning,
  }
}
