/** Recognizes responses in which an origin sends a challenge for bots, or rejects one, instead of its page. */
import { maxOtherBytes, type Signature, signatures } from './challenge-signatures.ts'

/** The inspected parts of a response. */
export type Seen = {
  status: number
  /** Headers that distinguish a challenge from a page, by name in lower case. */
  marks?: Readonly<Record<string, string>>
  body: Buffer
  title: string | null
  /** Words of the visible text, or null for other types than HTML. */
  words: number | null
}

/**
 * Number of inspected bytes. Challenges are short. All marks are ASCII, which has the same bytes in nearly every
 * encoding.
 */
const inspectedBytes = 32 * 1024

/** Returns the defence that sent the challenge, or null for an ordinary page. */
export function challengeOf(seen: Seen): string | null {
  let source: string | null = null
  const read = () => (source ??= seen.body.toString('latin1', 0, inspectedBytes))
  return signatures.find(signature => fits(signature, seen, read))?.by ?? null
}

/**
 * Returns whether a signature matches. Cheap conditions come first, because status and length decide for most pages.
 */
function fits(
  { statuses, mark, title, holds, matches, maxWords, ofAnyType = false }: Signature,
  seen: Seen,
  source: () => string,
): boolean {
  if (statuses && !statuses.includes(seen.status)) return false
  if (seen.words === null ? !ofAnyType || seen.body.length > maxOtherBytes : seen.words > maxWords)
    return false
  if (mark && !mark[1].test(seen.marks?.[mark[0]] ?? '')) return false
  if (title && !title.test(seen.title ?? '')) return false
  if (holds && !holds.every(text => source().includes(text))) return false
  return matches === undefined || matches.test(source())
}
