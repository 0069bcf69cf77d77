/** Decodes commits for the checks. An unreadable commit is reported as a finding, and the check continues. */
import { decodeJson } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'

/** Returns the commit of a message; null: it is unreadable, and a sentence about it is added to `illegible`. */
export function decodeCommit<Commit extends { events: readonly unknown[] }>(
  { subject, sequence, data }: StreamMessage,
  illegible: string[],
): Commit | null {
  try {
    const commit = decodeJson(data) as Commit
    if (Array.isArray(commit?.events)) return commit
    illegible.push(`message ${sequence} of ${subject} cannot be read: it has no events`)
  } catch (error) {
    illegible.push(`message ${sequence} of ${subject} cannot be read: ${(error as Error).message}`)
  }
  return null
}
