/** What there is to say of a body that is no HTML: text stands for itself, of anything else only its bytes are known. */
import type { Content } from '@tidemark/contracts/ask/content'
import { decodeHtml } from '@tidemark/html/decode'
import { countWords } from '@tidemark/html/words'
import type { ContentQuestion } from './content.ts'
import { mostCharacters } from './content-bounds.ts'
import { silent } from './silent.ts'

const textual =
  /^\s*(?:text\/|application\/(?:(?:x-)?(?:json|ndjson|xml|javascript|ecmascript|yaml|toml))\b|[^;]+\+(?:json|xml|yaml)\b)/i
const prose = /^\s*text\/(?:plain|markdown|x-markdown)\b/i
/** With room for the fence of code around it. */
const mostText = mostCharacters - 1024
/** Bytes of any character in any encoding that the web knows. */
const widestCharacter = 4

/** Control characters that text has: tab, line feed, form feed, carriage return, escape. */
const textControls = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b])
/** WHATWG MIME Sniffing, "binary data byte": what no text has. */
const isBinary = (byte: number): boolean => byte < 0x20 && !textControls.has(byte)
const sniffed = 1445

/** Prose is its own Markdown; other text is shown as code. */
export function plainContent({ contentType, wanted }: ContentQuestion, body: Buffer) {
  const type = typeOf(contentType, body)
  const isText = textual.test(type)
  const whole = isText ? decoded(body, contentType) : ''
  const text = whole.length > mostText ? whole.slice(0, mostText).toWellFormed() : whole
  const markdown = prose.test(type) || text === '' ? text : fenced(text, languageOf(type))
  return {
    bytes: body.byteLength,
    contentType,
    metadata: silent,
    ...(wanted.html && { html: text }),
    ...(wanted.markdown !== null && { markdown }),
    ...(wanted.article && { article: { text, html: '' } }),
    ...(wanted.text && { text }),
    ...(wanted.commonmark && { commonmark: markdown }),
    ...(wanted.signals && { signals: signalsOf(text) }),
    ...(wanted.anchors && { anchors: [] }),
    ...(wanted.extract && { extracted: nothingOf(wanted.extract) }),
    warnings: [
      warningOf(type, isText, body),
      ...(text === whole ? [] : [`only the first ${text.length} characters were read`]),
    ],
  }
}

/** Without decoding what is cut anyhow. */
const decoded = (body: Buffer, contentType: string | null): string =>
  decodeHtml(body.subarray(0, (mostText + 1) * widestCharacter), contentType).html

/** A body without a type is text unless its beginning says otherwise. */
function typeOf(contentType: string | null, body: Buffer): string {
  const type = contentType?.trim() ?? ''
  if (type !== '' || body.byteLength === 0) return type
  return body.subarray(0, sniffed).some(isBinary) ? '' : 'text/plain'
}

function warningOf(type: string, isText: boolean, { byteLength }: Buffer): string {
  if (byteLength === 0) return 'the page is empty'
  const [name = ''] = type.split(';', 1)
  return isText ? `the page is ${name}, not HTML` : `the page is no text (${name || 'no type'})`
}

const nothingOf = (wanted: NonNullable<ContentQuestion['wanted']['extract']>) =>
  Object.fromEntries(Object.entries(wanted).map(([name, { all }]) => [name, all ? [] : null]))

/** RFC 6838, 4.2.8: what stands behind the plus is how it is written. */
const languageOf = (type: string): string =>
  /(json|xml|javascript|yaml|toml|css|csv)/i.exec(type)?.[1]?.toLowerCase() ?? ''

function fenced(text: string, language: string): string {
  let longest = 2
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}\n`
}

function signalsOf(text: string): NonNullable<Content['signals']> {
  const { title, description, canonical, lang, robots } = silent
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

/** Without a list of them, for there may be millions. */
function codePoints(text: string): number {
  let pairs = 0
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) pairs++
  return text.length - pairs
}
