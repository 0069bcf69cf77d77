/** No content grows without end, whatever the page: a text beyond the bound is cut, and that is said. */
import type { Content } from '@tidemark/contracts/ask/content'

/** Characters of each text, and of all links together. */
export const mostCharacters = 2 * 1024 ** 2

export function withinBounds(content: Content): Content {
  const { html, markdown, text, commonmark, article, anchors } = content
  const warnings = [...content.warnings]
  const cut = (name: string, text: string): string => {
    if (text.length <= mostCharacters) return text
    warnings.push(`${name} ends after ${mostCharacters} characters`)
    return text.slice(0, mostCharacters).toWellFormed()
  }
  return {
    ...content,
    ...(html !== undefined && { html: cut('html', html) }),
    ...(markdown !== undefined && { markdown: cut('markdown', markdown) }),
    ...(text !== undefined && { text: cut('text', text) }),
    ...(commonmark !== undefined && { commonmark: cut('commonmark', commonmark) }),
    ...(article && {
      article: { text: cut('article_text', article.text), html: cut('article_html', article.html) },
    }),
    ...(anchors && { anchors: theFirst(anchors, warnings) }),
    warnings,
  }
}

type Anchors = NonNullable<Content['anchors']>

function theFirst(anchors: Anchors, warnings: string[]): Anchors {
  let room = mostCharacters
  const end = anchors.findIndex(({ to, anchor, rel }) => {
    room -= to.length + anchor.length + (rel?.length ?? 0)
    return room < 0
  })
  if (end === -1) return anchors
  warnings.push(`anchors are the first ${end} of ${anchors.length}`)
  return anchors.slice(0, end)
}
