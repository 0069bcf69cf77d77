/**
 * Converts HTML to another format: the work of its thread. Any text is accepted as a page. The headline is part of the
 * text, because the response has no other field for it.
 */
import type { Transform, TransformResponse } from '@tidemark/contracts/rpc/transform'
import { readArticle } from '@tidemark/html/article/read-article'
import { writeMarkdown } from '@tidemark/html/markdown/write-markdown'
import { baseOf } from '@tidemark/html/tree/base-of'
import { parseTree } from '@tidemark/html/tree/parse-tree'
import { beginningOf } from '../domain/beginning.ts'
import { maxCharacters } from '../domain/content-bounds.ts'
import { nowhere, ownLink, withOwnLinks } from '../domain/own-links.ts'
import { pageText } from '../domain/page-text.ts'

/** `body` is UTF-8. */
export type HtmlTransform = { body: Uint8Array; format: Transform['format']; readability: boolean }

type Made = { content: string; engine: 'article' | 'page' }

/** `engine`: `article` returns the main content only, `page` all of it. */
export function transformHtml({ body, format, readability }: HtmlTransform): TransformResponse {
  const whole = new TextDecoder().decode(body)
  const isAsItIs = format === 'raw' && !readability
  const read = isAsItIs ? whole : beginningOf(whole)
  const warnings = read.length < whole.length ? [`only the first ${read.length} characters were read`] : []
  const { content, engine } = made(read, format, readability)
  if (content.length <= maxCharacters) return { content, engine, warnings }
  warnings.push(`content was truncated to ${maxCharacters} characters`)
  return { content: content.slice(0, maxCharacters).toWellFormed(), engine, warnings }
}

/** A page without an article is converted as a whole. */
function made(html: string, format: Transform['format'], readability: boolean): Made {
  return (readability ? articleIn(html, format) : null) ?? { content: pageIn(html, format), engine: 'page' }
}

function articleIn(html: string, format: Transform['format']): Made | null {
  const article = readArticle(parseTree(html), { url: nowhere, withHeadline: true })
  if (article.text.trim() === '') return null
  const write = {
    markdown: () => writeMarkdown(article.nodes, { resolve: ownLink }),
    text: () => article.text,
    raw: () => withOwnLinks(article.content),
  }
  return { content: write[format](), engine: 'article' }
}

function pageIn(html: string, format: Transform['format']): string {
  if (format === 'raw') return html
  const tree = parseTree(html)
  if (format === 'text') return pageText(tree)
  const base = baseOf(tree, nowhere)
  const resolve = (address: string) => {
    const found = URL.parse(address, base)?.href
    return found === undefined ? null : ownLink(found)
  }
  return writeMarkdown(tree, { resolve })
}
