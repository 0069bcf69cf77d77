/** Whether an origin answered with a challenge for bots, or turned one away, instead of showing its page. */
import { type Signature, signatures } from './challenge-signatures.ts'

/** The inspected parts of a response. */
export type Seen = {
  status: number
  /** Headers that identify a challenge, by name in lower case. */
  marks?: Readonly<Record<string, string>>
  body: Buffer
  title: string | null
  /** Words of the visible text; null of what is no HTML. */
  words: number | null
}

/** Challenges are short; all marks are ASCII and read the same in nearly every encoding. */
const looked = 32 * 1024

/** Whose challenge it is, or null for a page like any other. */
export function challengeOf(seen: Seen): string | null {
  let source: string | null = null
  const read = () => (source ??= seen.body.toString('latin1', 0, looked))
  return signatures.find(signature => fits(signature, seen, read))?.by ?? null
}

/** Cheap checks come first: the status and the length decide for most pages. */
function fits(
  { statuses, mark, title, holds, matches, maxWords }: Signature,
  seen: Seen,
  source: () => string,
): boolean {
  if (statuses && !statuses.includes(seen.status)) return false
  if (maxWords !== undefined && (seen.words === null || seen.words > maxWords)) return false
  if (mark && !mark[1].test(seen.marks?.[mark[0]] ?? '')) return false
  if (title && !title.test(seen.title ?? '')) return false
  if (holds && !holds.every(text => source().includes(text))) return false
  return matches === undefined || matches.test(source())
}
