/** Whenever mails have not left that should have, every heartbeat says so, until they have or somebody has seen to them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { mailWarning, type UnsentMails } from '../domain/mail-warning.ts'

export type Ports = {
  unsent: () => Promise<UnsentMails>
  signal: AbortSignal
  report: (error: unknown) => void
}

const pauseMs = 5_000

/** Looks until the signal aborts; `warn` has what was found last, null where all is well. Of failures in a row the first is told. */
export function watchMail({ unsent, signal, report }: Ports): {
  ended: Promise<void>
  warn: () => string | null
} {
  let warning: string | null = null
  const watch = async () => {
    for (let failures = 0; !signal.aborted; ) {
      try {
        warning = mailWarning(await unsent())
        failures = 0
      } catch (error) {
        if (failures++ === 0 && !signal.aborted) report(error)
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
  return { ended: watch(), warn: () => warning }
}
