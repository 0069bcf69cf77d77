/**
 * Reads all that a crawl wants to know of a page in one streaming pass, without a tree. Any text is a page:
 * it never throws, and takes time linear in the length of the text.
 */

import { CodeWindow } from './code-window.ts'
import { Page, type Shown } from './page.ts'
import type { PageFacts } from './page-facts.ts'
import { QuickTokenizer } from './quick-tokenizer.ts'
import { Scanner } from './scanner.ts'

/** From a link as it stands in the page to the normal form of its target; null for what is not to be followed. */
export type Resolve = (href: string) => string | null

export type ReadOptions = {
  /** The page's own address. */
  url: string
  /** Resolves against the page's own address. It must not answer with parts of the strings it is given. */
  resolve: Resolve
  /** Makes the resolver for a page that names a `<base>`; without it a base is ignored. */
  createResolver?: (base: string) => Resolve
}

/**
 * Reads one page, in steps: between them others may be read. The order and number of links are the page's own.
 * The text is read in the first step, and many thousand links are resolved in the others.
 */
export function* readPage(html: string, options: ReadOptions): Generator<void, PageFacts> {
  const page = new Page()
  window.open(html)
  const tokenizer = new QuickTokenizer({ decodeEntities: false }, new Scanner(html, window, page))
  tokenizer.write(html)
  tokenizer.end()
  window.close()
  const shown = page.close(options.url)
  yield
  return yield* factsOf(page, shown, resolverOf(page.metadata.base, options))
}

/** Shared by all pages, for their text is read in one step and so never meets another. */
const window = new CodeWindow(64 * 1024)

/** WHATWG HTML, 2.4.3: the first base with an address counts for the whole page; one we cannot use counts nothing. */
function resolverOf(base: string | null, { resolve, createResolver }: ReadOptions): Resolve {
  const address = base === null ? null : resolve(base)
  return address === null || createResolver === undefined ? resolve : createResolver(address)
}

function* factsOf(page: Page, { text, likeness }: Shown, resolve: Resolve): Generator<void, PageFacts> {
  const { content, links, headings, metadata, structured } = page
  const { title, description, lang } = metadata
  const canonical = metadata.canonical === null ? null : resolve(metadata.canonical)
  const refresh = metadata.refresh === null ? null : resolve(metadata.refresh)
  const og = Object.fromEntries(metadata.og)
  const twitter = Object.fromEntries(metadata.twitter)
  const hreflang = resolvedValues(metadata.hreflang, resolve)
  const robotsMeta = [...metadata.robots]
  const found = yield* links.resolved(resolve)
  const stated = [
    title,
    description,
    canonical,
    refresh,
    robotsMeta.toSorted(),
    sorted(hreflang),
    sorted(og),
    sorted(twitter),
  ]
  return {
    title,
    description,
    canonical,
    robotsMeta,
    metas: metadata.named,
    lang,
    ...headings.found,
    hreflang,
    refresh,
    links: found,
    text,
    metadata: { title, description, canonical, lang, og, twitter, json_ld: structured.found },
    contentHash: content.hex([...stated, structured.found], found),
    likeness,
  }
}

function resolvedValues(values: ReadonlyMap<string, string>, resolve: Resolve): Record<string, string> {
  const entries: [string, string][] = []
  for (const [name, href] of values) {
    const target = resolve(href)
    if (target !== null) entries.push([name, target])
  }
  return Object.fromEntries(entries)
}

const sorted = (values: Record<string, string>): [string, string][] =>
  Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))
