/** Commits of streams as the checks read them: an unreadable one is itself a finding, and hides no others. */
import { decodeJson } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'

/** Returns the commit of a message, or null for an unreadable one, which is reported in a sentence. */
export function commitOf<Commit extends { events: readonly unknown[] }>(
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
