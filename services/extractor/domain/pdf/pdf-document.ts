/** The contents of a PDF for a reader: its title and metadata, and its text. */
import type { Run } from './pdf-text.ts'

export type PdfHead = {
  title: string | null
  description: string | null
  lang: string | null
  /** Number of pages of the document. */
  pages: number
}

export type PdfDocument = PdfHead & {
  text: string
  markdown: string
  /** Parts that were left out, and why. */
  warnings: string[]
}

/** The entries of the document's information dictionary that count, of any type. */
export type PdfInfo = Readonly<Partial<Record<'Title' | 'Subject' | 'Language', unknown>>>

/** Maximum characters of each entry. */
const maxEntry = 500
/** A longer heading is a paragraph in large letters. */
const maxHeading = 200
/** Letter heights that differ by less than this count as equal. */
const sameHeight = 0.5

/** Matches titles that programs set, such as the name of the file. */
const nameOfFile =
  /^(?:untitled(?:[- ]?\d+)?|(?:microsoft|powerpoint|word|excel)\b.* - .*|\S+\.(?:docx?|dvi|indd|odt|pdf|pptx?|ps|qxd|rtf|tex|xlsx?))$/i

/** @param first the text of the first page: its largest letters are the title of a document that declares none */
export const pdfHead = (info: PdfInfo, first: readonly Run[], pages: number): PdfHead => ({
  title: declaredTitle(info) ?? headingOf(first),
  description: entryOf(info.Subject),
  lang: langOf(info.Language),
  pages,
})

function declaredTitle({ Title }: PdfInfo): string | null {
  const title = entryOf(Title)
  return title === null || nameOfFile.test(title) ? null : title
}

/** Returns the first lines in the largest letters, if any letters are smaller. */
function headingOf(runs: readonly Run[]): string | null {
  const written = runs.filter(({ str, height }) => height > 0 && str.trim() !== '')
  let [tallest, lowest] = [0, Number.POSITIVE_INFINITY]
  for (const { height } of written) {
    tallest = Math.max(tallest, height)
    lowest = Math.min(lowest, height)
  }
  if (!(tallest - lowest >= sameHeight)) return null
  const from = written.findIndex(({ height }) => tallest - height < sameHeight)
  const after = written.findIndex(({ height }, at) => at > from && tallest - height >= sameHeight)
  const lines = written.slice(from, after === -1 ? undefined : after)
  const heading = entryOf(lines.map(({ str }) => str).join(' '))
  return heading !== null && heading.length <= maxHeading && /\p{L}{2}/u.test(heading) ? heading : null
}

function entryOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .slice(0, maxEntry * 4)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxEntry)
    .toWellFormed()
  return text === '' ? null : text
}

/** Returns a tag as in BCP 47. */
const langOf = (value: unknown): string | null =>
  typeof value === 'string' && /^[a-z]{2,8}(?:-[a-z\d]{1,8}){0,4}$/i.test(value.trim()) ? value.trim() : null
