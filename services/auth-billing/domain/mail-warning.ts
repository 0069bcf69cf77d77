/** Warns the operator about unsent mails. The warning is public, so it names no recipient. */

/** Numbers of unsent mails: those after their last attempt, and those that still wait but are late. */
export type UnsentMails = { givenUp: number; late: number }

/** Age from which a waiting mail is late. A short outage of the mail server is over by then. */
export const lateMinutes = 10

/** Returns the warning; null: there is nothing to do. */
export function mailWarning({ givenUp, late }: UnsentMails): string | null {
  const parts: string[] = []
  if (givenUp > 0) parts.push(`${mails(givenUp)} given up`)
  if (late > 0) parts.push(`${mails(late)} unsent for more than ${lateMinutes} minutes`)
  return parts.length > 0 ? parts.join(', ') : null
}

const mails = (count: number): string => `${count} ${count === 1 ? 'mail' : 'mails'}`
