/** Content of bodies other than HTML: text stands for itself, and for other types only the bytes are known. */
import type { Content } from '@tidemark/contracts/rpc/content'
import { decodeHtml } from '@tidemark/html/decode'
import { isTextual, textTypeOf } from '@tidemark/html/media-type'
import { countWords } from '@tidemark/html/words'
import { maxCharacters } from './content-bounds.ts'
import type { ContentRequest } from './content-request.ts'
import { emptyExtraction } from './extract/extraction.ts'
import { noPageFacts } from './no-page-facts.ts'
import type { PdfDocument } from './pdf/pdf-document.ts'

const prose = /^text\/(?:plain|markdown|x-markdown)\b/
/** Includes space for a code fence. */
const maxText = maxCharacters - 1024
/** Maximum bytes of a character in any encoding of the web. */
const widestCharacter = 4

/** Prose is valid Markdown; other text becomes a code block. */
export function plainContent({ contentType, wanted, pdf }: ContentRequest, body: Buffer) {
  const type = textTypeOf(contentType, body)
  const document = pdf && 'text' in pdf ? pdf : null
  const isText = isTextual(type) || document !== null
  const whole = document?.text ?? (isText ? decoded(body, contentType) : '')
  const text = whole.length > maxText ? whole.slice(0, maxText).toWellFormed() : whole
  const asText = prose.test(type) || text === '' ? text : fenced(text, languageOf(type))
  const markdown = document?.markdown ?? asText
  const metadata = document === null ? noPageFacts : metadataOfPdf(document)
  const filled = wanted.schema && emptyExtraction(wanted.schema)
  return {
    bytes: body.byteLength,
    contentType,
    metadata,
    ...(wanted.html && { html: document === null ? text : '' }),
    ...(wanted.markdown !== null && { markdown }),
    ...(wanted.article && { article: { text, html: '', ...(document && { markdown }) } }),
    ...(wanted.text && { text }),
    ...(wanted.commonmark && { commonmark: markdown }),
    ...(wanted.signals && { signals: signalsOf(text, metadata) }),
    ...(wanted.anchors && { anchors: [] }),
    ...(wanted.extract && { extracted: nothingOf(wanted.extract) }),
    ...(filled && { extraction: { data: filled.data, fields: [], valid: false, errors: [] } }),
    warnings: [
      ...warningsOf(type, isText, contentType, body),
      ...(pdf && 'fault' in pdf ? [pdf.fault] : (document?.warnings ?? [])),
      ...(filled?.warnings ?? []),
      ...(text === whole ? [] : [`only the first ${text.length} characters were read`]),
    ],
  }
}

/** Decodes only the part that is kept. */
const decoded = (body: Buffer, contentType: string | null): string =>
  decodeHtml(completeStart(body, (maxText + 2) * widestCharacter), contentType).html

/**
 * Returns the first bytes, up to the end of a complete character of UTF-8. A cut character would make the bytes
 * invalid, and their encoding would be guessed.
 */
function completeStart(body: Buffer, maxBytes: number): Buffer {
  let end = Math.min(maxBytes, body.length)
  while (end > maxBytes - widestCharacter && isContinuation(body[end])) end--
  return body.subarray(0, end)
}

const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80

function warningsOf(type: string, isText: boolean, contentType: string | null, body: Buffer): string[] {
  if (body.byteLength === 0) return ['the page is empty']
  if (isText) return [`the page is ${type}, not HTML`]
  const [sentAs = ''] = (contentType ?? '').trim().split(';', 1)
  const isDisguised = sentAs !== '' && sentAs.toLowerCase() !== type
  return [
    `the page is not text (${type || 'no type'})`,
    ...(isDisguised ? [`its Content-Type was ${sentAs}`] : []),
  ]
}

const nothingOf = (wanted: NonNullable<ContentRequest['wanted']['extract']>) =>
  Object.fromEntries(Object.entries(wanted).map(([name, { all }]) => [name, all ? [] : null]))

/** RFC 6838, 4.2.8: the suffix after the plus is the syntax. */
const languageOf = (type: string): string =>
  /(json|xml|javascript|yaml|toml|css|csv)/i.exec(type)?.[1]?.toLowerCase() ?? ''

function fenced(text: string, language: string): string {
  let longest = 2
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}\n`
}

const metadataOfPdf = ({ title, description, lang }: PdfDocument): typeof noPageFacts => ({
  ...noPageFacts,
  title,
  description,
  lang,
})

function signalsOf(text: string, metadata: typeof noPageFacts): NonNullable<Content['signals']> {
  const { title, description, canonical, lang, robots } = metadata
  return {
    ...{ title, description, canonical, lang, h1: [], h2: [], h3: [], robots_meta: robots },
    jsonld_types: [],
    hreflang: {},
    ai_directives: {
      ...{ noai: false, noimageai: false, meta: {}, x_robots_tag: {}, content_signals: {} },
      ...{ content_usage: {}, tdm_reservation: null, tdm_policy: null },
    },
    word_count: countWords(text),
    char_count: codePoints(text.replace(/\s+/g, ' ').trim()),
    links: { internal: 0, external: 0, nofollow: 0, total: 0 },
  }
}

/** Counts code points without a list of them, because there may be millions. */
function codePoints(text: string): number {
  let pairs = 0
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) pairs++
  return text.length - pairs
}
