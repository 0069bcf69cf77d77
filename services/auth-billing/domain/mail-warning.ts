/** What an operator should see to about mails, in words that name nobody: everybody can read them. */

/** Mails that have not left: those that nobody tries any more, and those that should have left long ago. */
export type UnsentMails = { givenUp: number; late: number }

/** From this age on a mail that waits is late: a server that was away for a moment is back by then. */
export const lateMinutes = 10

/** Null where there is nothing to see to. */
export function mailWarning({ givenUp, late }: UnsentMails): string | null {
  const says: string[] = []
  if (givenUp > 0) says.push(`${mails(givenUp)} given up`)
  if (late > 0) says.push(`${mails(late)} unsent for more than ${lateMinutes} minutes`)
  return says.length > 0 ? says.join(', ') : null
}

const mails = (count: number): string => `${count} ${count === 1 ? 'mail' : 'mails'}`
