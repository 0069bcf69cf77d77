/** Bounds of content: longer texts are truncated with a warning. */
import type { Content } from '@tidemark/contracts/rpc/content'

/** Characters of each text, and of all links together. */
export const maxCharacters = 2 * 1024 ** 2

export function withinBounds(content: Content): Content {
  const { html, markdown, text, commonmark, article, anchors } = content
  const warnings = [...content.warnings]
  return {
    ...content,
    ...(html !== undefined && { html: cut('html', html, warnings) }),
    ...(markdown !== undefined && { markdown: cut('markdown', markdown, warnings) }),
    ...(text !== undefined && { text: cut('text', text, warnings) }),
    ...(commonmark !== undefined && { commonmark: cut('commonmark', commonmark, warnings) }),
    ...(article && {
      article: {
        text: cut('article_text', article.text, warnings),
        html: cut('article_html', article.html, warnings),
        ...(article.markdown !== undefined && {
          markdown: cut('article_markdown', article.markdown, warnings),
        }),
      },
    }),
    ...(anchors && { anchors: fitting(anchors, warnings) }),
    warnings,
  }
}

/** Returns a text within the bounds, and adds a warning if it is truncated. */
export function cut(name: string, text: string, warnings: string[]): string {
  if (text.length <= maxCharacters) return text
  warnings.push(`${name} was truncated to ${maxCharacters} characters`)
  return text.slice(0, maxCharacters).toWellFormed()
}

type Anchors = NonNullable<Content['anchors']>

function fitting(anchors: Anchors, warnings: string[]): Anchors {
  const first = firstThatFit(
    anchors,
    maxCharacters,
    ({ to, anchor, rel }) => to.length + anchor.length + (rel?.length ?? 0),
  )
  if (first.length < anchors.length)
    warnings.push(`anchors are limited to the first ${first.length} of ${anchors.length}`)
  return first
}

/** Returns the first items whose sizes add up to at most `maxSize`. */
export function firstThatFit<Item>(
  items: readonly Item[],
  maxSize: number,
  sizeOf: (item: Item) => number,
): Item[] {
  let left = maxSize
  const end = items.findIndex(item => {
    left -= sizeOf(item)
    return left < 0
  })
  return items.slice(0, end === -1 ? items.length : end)
}
