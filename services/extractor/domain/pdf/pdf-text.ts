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
  const builder = new ParagraphBuilder()
  for (const run of runs) builder.add(run)
  return builder.end()
}

/** Joins text runs to lines and paragraphs, and removes hyphens at line ends. */
class ParagraphBuilder {
  readonly #paragraphs: string[] = []
  #text = ''
  #line = ''
  /** The last run with visible text. */
  #above: { at: number; height: number } | null = null

  add({ str, hasEOL, height, transform }: Run): void {
    const at = Number(transform[5])
    if (str.trim() !== '' && height > 0) {
      const above = this.#above
      const apart = above === null ? 0 : Math.abs(above.at - at)
      const tallest = Math.max(height, above?.height ?? 0)
      if (above !== null && apart > tallest * paragraphGap) this.#endParagraph()
      this.#above = { at, height }
    }
    this.#line += str
    if (hasEOL) this.#endLine()
  }

  /** Returns all paragraphs. */
  end(): string[] {
    this.#endParagraph()
    return this.#paragraphs
  }

  #endLine(): void {
    const words = this.#line.replace(/\s+/g, ' ').trim()
    this.#line = ''
    if (words === '') return
    const text = this.#text
    const isBroken = hyphenated.test(text) && /^\p{Ll}/u.test(words)
    this.#text = isBroken ? text.slice(0, -1) + words : text === '' ? words : `${text} ${words}`
  }

  #endParagraph(): void {
    this.#endLine()
    if (this.#text !== '') this.#paragraphs.push(this.#text)
    this.#text = ''
  }
}

/** Page breaks are paragraph breaks. In Markdown the text is escaped. */
export function written(pages: readonly string[][], format: Transform['format']): string {
  const paragraphs = pages.flat()
  if (format !== 'markdown') return paragraphs.join('\n\n')
  const html = paragraphs.map(text => `<p>${text.replace(/[&<]/g, mark => marks[mark] ?? mark)}`)
  return writeMarkdown(parseTree(html.join('')), { resolve: () => null })
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;' }
