/**
 * Whether a document may be a check for bots, which lets a browser through after a while. A guess: where it is wrong
 * it costs a wait, and no page. Who knows the defences by name comes later, and judges what was had.
 */

/** A check says little, in words and in source. */
const most = { words: 60, characters: 20_000 }

/** Checks come with these where they do not say that all is well. */
const isRefusal = (status: number): boolean => status === 202 || status >= 400

export const mayBeCheck = ({ status, html }: { status: number; html: string }): boolean =>
  isRefusal(status) || (html.length <= most.characters && wordsIn(html) <= most.words)

function wordsIn(html: string): number {
  const text = html.replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ').replace(/<[^<>]*>/g, ' ')
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
}
