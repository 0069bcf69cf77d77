/** Bounds of content: longer texts are truncated with a warning. */
import type { Content } from '@tidemark/contracts/rpc/content'

/** Characters of each text, and of all links together. */
export const maxCharacters = 2 * 1024 ** 2

export function withinBounds(content: Content): Content {
  const { html, markdown, text, commonmark, article, anchors } = content
  const warnings = [...content.warnings]
  const cut = (name: string, text: string): string => {
    if (text.length <= maxCharacters) return text
    warnings.push(`${name} was truncated to ${maxCharacters} characters`)
    return text.slice(0, maxCharacters).toWellFormed()
  }
  return {
    ...content,
    ...(html !== undefined && { html: cut('html', html) }),
    ...(markdown !== undefined && { markdown: cut('markdown', markdown) }),
    ...(text !== undefined && { text: cut('text', text) }),
    ...(commonmark !== undefined && { commonmark: cut('commonmark', commonmark) }),
    ...(article && {
      article: {
        text: cut('article_text', article.text),
        html: cut('article_html', article.html),
        ...(article.markdown !== undefined && { markdown: cut('article_markdown', article.markdown) }),
      },
    }),
    ...(anchors && { anchors: theFirst(anchors, warnings) }),
    warnings,
  }
}

type Anchors = NonNullable<Content['anchors']>

function theFirst(anchors: Anchors, warnings: string[]): Anchors {
  let room = maxCharacters
  const end = anchors.findIndex(({ to, anchor, rel }) => {
    room -= to.length + anchor.length + (rel?.length ?? 0)
    return room < 0
  })
  if (end === -1) return anchors
  warnings.push(`anchors are limited to the first ${end} of ${anchors.length}`)
  return anchors.slice(0, end)
}
