/**
 * The content of one page in every requested form, from one parse and at most one tree. Deterministic for the same
 * bytes and language.
 */

import { hash } from 'node:crypto'
import type { Content, Wanted } from '@tidemark/contracts/rpc/content'
import { bodyInData } from '@tidemark/html/article/body-in-data'
import { type Choice, chosen } from '@tidemark/html/article/chosen'
import { mainContentOf } from '@tidemark/html/article/main-content'
import { readArticle } from '@tidemark/html/article/read-article'
import { challengeOf } from '@tidemark/html/challenge'
import { asHtml, decodeHtml } from '@tidemark/html/decode'
import { writeMarkdown } from '@tidemark/html/markdown/write-markdown'
import { isHtml } from '@tidemark/html/media-type'
import type { PageFacts } from '@tidemark/html/page-facts'
import { readPage } from '@tidemark/html/read-page'
import { signalsOf } from '@tidemark/html/signals/signals'
import { baseOf } from '@tidemark/html/tree/base-of'
import { parseTree } from '@tidemark/html/tree/parse-tree'
import { textOf } from '@tidemark/html/tree/text-of'
import { withAddresses } from '@tidemark/html/with-addresses'
import { isAiBot } from '@tidemark/robots/ai-bots'
import type { JsonObject } from '@tidemark/schema/bounds'
import { queriesIn, resolverIn } from '@tidemark/url/query-charset'
import { createResolver } from '@tidemark/url/resolver'
import { inScope, siteScopeOf } from '@tidemark/url/scope'
import type { Document } from 'domhandler'
import { beginningOf } from './beginning.ts'
import { bufferOf } from './buffer-of.ts'
import type { WriteCommonmark } from './commonmark.ts'
import { withinBounds } from './content-bounds.ts'
import type { ContentRequest } from './content-request.ts'
import { extractionOf } from './extract/extraction.ts'
import { extractedFrom } from './extracted.ts'
import { pageText } from './page-text.ts'
import { plainContent } from './plain-content.ts'
import { isScriptShell } from './script-shell.ts'

/** A page with everything that the requested forms need. */
export type OpenPage = { request: ContentRequest; body: Buffer; html: OpenHtml | null }

type OpenHtml = {
  /** The whole page, and the part that is read. */
  whole: string
  read: string
  tree: Document | null
  facts: PageFacts
  charset: string
}

/** Opens a page, with its tree if a requested form needs it. */
export const openPage = (request: ContentRequest): OpenPage => withTree(openFacts(request))

/** Opens a page like `openPage`; null if its language must be guessed. */
export function openWithLanguage(request: ContentRequest): OpenPage | null {
  const page = openFacts(request)
  const { html } = page
  const isUnknown = html !== null && html.facts.lang === null && needsTree(request.wanted, html.facts)
  return isUnknown ? null : withTree(page)
}

function withTree(page: OpenPage): OpenPage {
  const { request, html } = page
  if (html === null || !needsTree(request.wanted, html.facts)) return page
  // The links of the tree are resolved like the links of the facts.
  const tree = withAddresses(parseTree(html.read), queriesIn(html.charset))
  return { ...page, html: { ...html, tree } }
}

function openFacts(request: ContentRequest): OpenPage {
  const { url, contentType } = request
  const body = bufferOf(request.body)
  if (!isHtml(contentType, body)) return { request, body, html: null }
  const { html: whole, charset } = decodeHtml(body, contentType)
  const read = beginningOf(asHtml(whole, contentType))
  return { request, body, html: { whole, read, tree: null, facts: factsOf(read, url, charset), charset } }
}

/** Returns the text of a page that declares no language, if needed; else null. */
export function wordsToGuessBy({ html }: OpenPage): string | null {
  return html === null || html.tree === null || html.facts.lang !== null ? null : textOf(html.tree)
}

/** Returns whether the page is an unfilled application shell. Challenges are not shells. */
export const isShell = ({ body, html }: OpenPage): boolean =>
  html !== null && isScriptShell({ body, words: html.facts.text.words })

/** Returns the vendor of the challenge, or null if this is the page itself. */
export function challengeIn({ request: { status, headers }, body, html }: OpenPage): string | null {
  const { title = null, text } = html?.facts ?? {}
  return challengeOf({ status, body, marks: headers, title, words: text?.words ?? null })
}

/** Inputs that only some requests need. */
export type Extra = {
  /** Returns the language of a page that declares none. */
  guessed: string | null
  /** The writer of CommonMark; null: CommonMark is not requested. */
  commonmark: WriteCommonmark | null
}

export function contentOf(page: OpenPage, { guessed, commonmark }: Extra): Content {
  const { request, body, html } = page
  const { contentType, wanted } = request
  const rawHash = hash('sha256', body)
  const challenge = challengeIn(page)
  if (html === null) {
    return withinBounds({ ...plainContent(request, body), rawHash, contentHash: rawHash, challenge })
  }
  const { whole, read, tree } = html
  const facts = withLanguage(html.facts, guessed)
  const { contentHash, metadata, robotsMeta } = facts
  const { warnings = [], ...parts } = tree === null ? {} : partsOf(request, tree, facts, commonmark)
  if (read.length < whole.length) warnings.unshift(`only the first ${read.length} characters were read`)
  return withinBounds({
    contentHash,
    rawHash,
    bytes: body.byteLength,
    contentType,
    metadata: { ...metadata, robots: robotsMeta },
    challenge,
    ...(wanted.html && { html: whole }),
    ...(wanted.anchors && { anchors: anchorsOf(facts) }),
    ...(wanted.signals && { signals: signalsFor(facts, request) }),
    ...parts,
    warnings,
  })
}

/** Signals need only the facts, except for a language that the page does not declare. */
const needsTree = (wanted: Wanted, { lang }: PageFacts): boolean =>
  isOfTree(wanted) || (wanted.signals && lang === null)

/** Returns whether a requested form is made from the tree of any page. */
const isOfTree = (wanted: Wanted): boolean => {
  const { markdown, article, text = false, commonmark = false, extract, schema } = wanted
  return markdown !== null || article || text || commonmark || extract !== undefined || schema !== undefined
}

function factsOf(html: string, url: string, charset: string): PageFacts {
  const createOwn = resolverIn(charset, createResolver)
  const steps = readPage(html, { url, resolve: createOwn(url), createResolver: createOwn })
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

const withLanguage = (facts: PageFacts, guessed: string | null): PageFacts =>
  guessed === null || facts.lang !== null
    ? facts
    : { ...facts, lang: guessed, metadata: { ...facts.metadata, lang: guessed } }

const anchorsOf = ({ links }: PageFacts): NonNullable<Content['anchors']> =>
  links.map(({ href, ...link }) => ({ to: href, ...link }))

function partsOf(
  { url, wanted }: ContentRequest,
  tree: Document,
  facts: PageFacts,
  commonmark: WriteCommonmark | null,
) {
  const { markdown, article, text, extract } = wanted
  const isChosen = markdown === 'main' || article
  const choice = isChosen ? chosen(tree, url, facts.metadata.json_ld) : null
  return {
    ...(markdown && { markdown: markdownOf(tree, url, markdown === 'main' ? choice : null) }),
    ...(text && { text: pageText(tree) }),
    ...(wanted.commonmark && commonmark && { commonmark: commonmark(tree, resolverOf(baseOf(tree, url))) }),
    ...(extract && extractedFrom(tree, extract, baseOf(tree, url))),
    ...(wanted.schema && filledFrom(tree, url, facts, wanted.schema)),
    ...(article && choice && { article: articleOf(tree, url, choice, wanted.articleFormat) }),
  }
}

/** `valid` and `errors` are set later, when the object is checked by its schema. */
function filledFrom(tree: Document, url: string, { metadata }: PageFacts, schema: JsonObject) {
  const { data, fields, warnings } = extractionOf(schema, { tree, url, base: baseOf(tree, url), metadata })
  return { extraction: { data, fields, valid: false, errors: [] }, warnings }
}

function signalsFor(facts: PageFacts, { url, headers }: ContentRequest) {
  const site = siteScopeOf(url)
  const isInternal = (href: string) => inScope(site, href)
  return signalsOf(facts, { headers, isInternal, isAiBot })
}

/** @param choice null: the Markdown of the whole page */
function markdownOf(tree: Document, url: string, choice: Choice | null): string {
  const base = baseOf(tree, url)
  const body = choice && bodyInData(choice, choice.title)
  return writeMarkdown(body ?? tree, { base, ...(choice && body === null && mainContentOf(choice)) })
}

const resolverOf = (base: string) => (address: string) => URL.parse(address, base)?.href ?? null

/** Returns the text of the article, and either its HTML or its Markdown. */
function articleOf(tree: Document, url: string, choice: Choice, format: Wanted['articleFormat'] = 'html') {
  const article = readArticle(tree, { url }, choice)
  const { text } = article
  if (format === 'html') return { text, html: article.content }
  return { text, html: '', markdown: writeMarkdown(article.nodes, { base: url }) }
}
