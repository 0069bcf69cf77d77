/** Readers' comments below an article. */
import { headings } from './element-kinds.ts'
import type { Block } from './outline.ts'
import type { Reading } from './reading.ts'
import { commentNotice, standing } from './standing-texts.ts'

const maxLength = 100_000

/**
 * Returns the texts of the comments without their heading, separated by empty lines, or null without comments. A
 * comment area with only the site's own texts counts as empty. A sentence or a paragraph in it proves a comment, and
 * so does any line of an element that is named as a single comment.
 */
export function commentsOf({ page, kinds, prose }: Reading): string | null {
  const { blocks, elements } = page
  const { inside, left, beside, single } = commentMarks({ page, kinds })
  let size = 0
  let hasComment = false
  const texts: string[] = []
  for (const [at, block] of blocks.entries()) {
    const { element, text } = block
    if (inside[element] !== 1 || left[element] === 1 || block.linked > block.size / 2) continue
    const { name } = elements[element] ?? { name: '' }
    const isProse = prose.between(at, at + 1) > 0
    if (beside[element] === 1 && !isProse) continue
    if (isOfSite(block) || (texts.length === 0 && headings.has(name))) continue
    size += text.length
    if (size > maxLength) break
    texts.push(text)
    hasComment ||= isProse || paragraphs.has(name) || single[element] === 1
  }
  return hasComment ? texts.join('\n\n') : null
}

const paragraphs = new Set(['p', 'blockquote'])

/** Returns whether a text is a notice of the site in a comment area, or has no words. */
const isOfSite = ({ text, words }: Block): boolean =>
  words === 0 || (words <= maxNoticeLength && (standing.test(text) || commentNotice.test(text)))

const maxNoticeLength = 40

/**
 * Marks elements with 1: `inside` the comments; `left` out, because they are not comments; `beside` a comment by
 * their name, although some sites put whole comments into elements named after their authors; and in a `single`
 * comment.
 */
function commentMarks({ page: { parents, elements }, kinds }: Pick<Reading, 'page' | 'kinds'>) {
  const inside = new Uint8Array(elements.length)
  const left = new Uint8Array(elements.length)
  const beside = new Uint8Array(elements.length)
  const single = new Uint8Array(elements.length)
  for (const [at, { attribs }] of elements.entries()) {
    const parent = parents[at] ?? -1
    const kind = kinds[at] ?? null
    if (inside[parent] === 1 || kind === 'comments') inside[at] = 1
    if (inside[at] !== 1) continue
    const names = `${attribs.class ?? ''} ${attribs.itemprop ?? ''}`
    if (left[parent] === 1 || (kind !== null && kind !== 'comments')) left[at] = 1
    if (beside[parent] === 1 || besideComment.test(names)) beside[at] = 1
    if (single[parent] === 1 || oneComment.test(names)) single[at] = 1
  }
  return { inside, left, beside, single }
}

const named = (names: string): RegExp => new RegExp(`(?:^|\\s)(?:${names})(?=\\s|$)`)

/** Names of one comment and of its text. */
const oneComment = named(
  '(?:comment|kommentar)(?:[-_]{1,2}(?:body|content|text|message|item|entry|\\d+))?|comment(?:Body|Content|Text|Message|Item)',
)

/** Names of elements beside a comment: its author and date, the number of comments, the form for a new one. */
const besideComment = named(
  'no-?comments?|comments?[-_]{1,2}(?:authors?|meta|metadata|date|time|user|avatar|actions?|footer|header|reply|respond|' +
    'form[-\\w]*|counts?|number|title|heading|notes?|notice|policy|closed|disabled|login|links?|pagination|nav|' +
    'navigation|awaiting[-_]moderation|subscription[-_]form)',
)
