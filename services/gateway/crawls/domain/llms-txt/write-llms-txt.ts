/** Writes the guide of a site as llms.txt and as llms-full.txt (llmstxt.org). Pure. */
import { CodeFence } from './markdown-text.ts'
import type { Entry, GuideOptions, SiteGuide } from './site-guide.ts'

/** Words of pages are escaped; those of the client may be Markdown. */
export function llmsTxtOf({ name, summary, sections }: SiteGuide, options: GuideOptions): string {
  const listed = sections.map(({ title, entries }) =>
    [`## ${escaped(title)}`, '', ...entries.map(lineOf)].join('\n'),
  )
  return `${[...headOf({ name, summary }, options), ...listed].join('\n\n')}\n`
}

function headOf({ name, summary }: Pick<SiteGuide, 'name' | 'summary'>, options: GuideOptions): string[] {
  const title = `# ${options.siteName === undefined ? escaped(name) : name}`
  if (summary === '') return [title]
  return [title, `> ${options.summary === undefined ? escaped(summary) : summary}`]
}

const lineOf = ({ url, title, note }: Entry): string =>
  `- [${escaped(title)}](${url.replace(/[()]/g, encoded)})${note === '' ? '' : `: ${escaped(note)}`}`

const encoded = (bracket: string): string => (bracket === '(' ? '%28' : '%29')

/** Escapes text of a page, so that it cannot contain a link, an image or HTML. */
const escaped = (text: string): string => text.replace(/[[\]\\<]/g, '\\$&')

export type LlmsFull = {
  text: string
  /** The estimated tokens of the text. */
  tokens: number
  /** Number of pages with their content. The content of the last one may be cut. */
  pages: number
  cut: string | null
  /** Pages without content, or for which the tokens did not suffice. */
  missing: string[]
}

const bytesPerToken = 4

/** Estimates tokens as a quarter of the UTF-8 bytes, which is accurate to a third for most scripts and tokenizers. */
const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

/** Writes the main contents in the order of the llms.txt, so that optional pages are the first to be left out. */
export function llmsFullTxtOf(guide: SiteGuide, options: GuideOptions, maxTokens: number): LlmsFull {
  const parts = [headOf(guide, options).join('\n\n')]
  const full: LlmsFull = { text: '', tokens: 0, pages: 0, cut: null, missing: [] }
  let left = maxTokens * bytesPerToken - Buffer.byteLength(parts[0] ?? '') - 1
  for (const entry of guide.sections.flatMap(({ entries }) => entries)) {
    const part = full.cut === null ? partOf(entry, left) : null
    if (part === null) full.missing.push(entry.url)
    else {
      parts.push(part.text)
      left -= Buffer.byteLength(part.text) + between.length
      full.pages++
      if (part.isCut) full.cut = entry.url
    }
  }
  const text = `${parts.join(between)}\n`
  return { ...full, text, tokens: tokensOf(text) }
}

const between = '\n\n---\n\n'
/** Minimum bytes of a truncated page. A shorter beginning is useless. */
const minBytes = 400

/** Returns the content of a page within the bytes, or null without content or without space for it. */
function partOf({ url, title, main }: Entry, left: number): { text: string; isCut: boolean } | null {
  const head = `# ${escaped(title)}\n\nSource: ${url}\n\n`
  const content =
    main === null
      ? ''
      : clean(main)
          .replace(/^#\s.*\n+/, '')
          .trim()
  const free = left - between.length - Buffer.byteLength(head)
  if (content === '') return null
  if (Buffer.byteLength(content) <= free) return { text: head + content, isCut: false }
  const longest = content.match(/`{3,}/g)?.reduce((max, { length }) => Math.max(max, length), 0) ?? 0
  const space = free - '\n\n'.length - longest
  if (space < minBytes) return null
  const begun = beginningOf(content, space)
  return begun === '' ? null : { text: head + begun, isCut: true }
}

/** Cuts after a paragraph, and closes a block of code that the cut opened. Linear in the length. */
function beginningOf(content: string, maxBytes: number): string {
  const begun = Buffer.from(content)
    .subarray(0, maxBytes)
    .toString()
    .replace(/\uFFFD$/, '')
  const end = [begun.lastIndexOf('\n\n'), begun.lastIndexOf('\n'), begun.lastIndexOf(' ')].find(at => at > 0)
  const whole = begun.slice(0, end ?? begun.length)
  const code = new CodeFence()
  for (const line of whole.split('\n')) code.takes(line)
  return code.open === null ? whole : `${whole}\n${code.open}`
}

/** Control characters never reach a terminal that shows the text. */
const clean = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, '')
