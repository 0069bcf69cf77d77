/** The text of a PDF's page, assembled from positioned text runs, because a PDF has no paragraphs. */
import type { Transform } from '@tidemark/contracts/rpc/transform'
import { writeMarkdown } from '@tidemark/html/markdown/write-markdown'
import { parseTree } from '@tidemark/html/tree/parse-tree'

/** As pdf.js returns them; `transform[5]` is the vertical position on the page. */
export type Run = { str: string; hasEOL: boolean; height: number; transform: readonly unknown[] }

/** A larger line distance, in heights of the letters, begins a paragraph. */
const paragraphGap = 1.8
/** A word that is hyphenated at the end of the line. */
const hyphenated = /\p{Ll}-$/u

export function paragraphsOf(runs: readonly Run[]): string[] {
  const paragraphs: string[] = []
  let [text, line] = ['', '']
  let above: { at: number; height: number } | null = null
  const endLine = () => {
    const words = line.replace(/\s+/g, ' ').trim()
    line = ''
    if (words === '') return
    const isBroken = hyphenated.test(text) && /^\p{Ll}/u.test(words)
    text = isBroken ? text.slice(0, -1) + words : text === '' ? words : `${text} ${words}`
  }
  const endParagraph = () => {
    endLine()
    if (text !== '') paragraphs.push(text)
    text = ''
  }
  for (const { str, hasEOL, height, transform } of runs) {
    const at = Number(transform[5])
    if (str.trim() !== '' && height > 0) {
      const apart = above === null ? 0 : Math.abs(above.at - at)
      const tallest = Math.max(height, above?.height ?? 0)
      if (above !== null && apart > tallest * paragraphGap) endParagraph()
      above = { at, height }
    }
    line += str
    if (hasEOL) endLine()
  }
  endParagraph()
  return paragraphs
}

/** Page breaks are paragraph breaks. In Markdown the text is escaped. */
export function written(pages: readonly string[][], format: Transform['format']): string {
  const paragraphs = pages.flat()
  if (format !== 'markdown') return paragraphs.join('\n\n')
  const html = paragraphs.map(text => `<p>${text.replace(/[&<]/g, mark => marks[mark] ?? mark)}`)
  return writeMarkdown(parseTree(html.join('')), { resolve: () => null })
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;' }
