/**
 * Reads all facts of a page for a crawl in one streaming pass, without a tree. Any text is a page: it never throws,
 * and takes time linear in the length of the text.
 */

import { CodeWindow } from './code-window.ts'
import { Page, type Shown } from './page.ts'
import type { PageFacts } from './page-facts.ts'
import { QuickTokenizer } from './quick-tokenizer.ts'
import { Scanner } from './scanner.ts'

/** Returns the normal form of the target of a link as written in the page, or null to skip it. */
export type Resolve = (href: string) => string | null

export type ReadOptions = {
  /** The page's own address. */
  url: string
  /** Resolves against the page's own address. Its results must not be slices of its arguments. */
  resolve: Resolve
  /** Creates the resolver of a page with a `<base>`. Without it, a base is ignored. */
  createResolver?: (base: string) => Resolve
}

/**
 * Reads one page in steps. Other pages may be read between them. Links keep their order and number. The first step
 * reads the text, and the others resolve thousands of links each.
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
  const self = page.links.hasBase ? options.resolve('') : null
  return yield* factsOf(page, shown, { resolve: resolverOf(page.metadata.base, options), self })
}

/** Shared by all pages, because the text of a page is read in one step and never overlaps with another. */
const window = new CodeWindow(64 * 1024)

/**
 * Returns the resolver of a page (WHATWG HTML, 2.4.3). The first base with an address applies to the whole page. If
 * it is unusable, no base applies.
 */
function resolverOf(base: string | null, { resolve, createResolver }: ReadOptions): Resolve {
  const address = base === null ? null : resolve(base)
  return address === null || createResolver === undefined ? resolve : createResolver(address)
}

function* factsOf(
  page: Page,
  { text, likeness }: Shown,
  { resolve, self }: { resolve: Resolve; self: string | null },
): Generator<void, PageFacts> {
  const { content, links, headings, metadata, jsonLd } = page
  const { title, description, lang } = metadata
  const canonical = metadata.canonical === null ? null : resolve(metadata.canonical)
  const refresh = metadata.refresh === null ? null : resolve(metadata.refresh)
  const og = Object.fromEntries(metadata.og)
  const twitter = Object.fromEntries(metadata.twitter)
  const hreflang = resolvedValues(metadata.hreflang, resolve)
  const robotsMeta = [...metadata.robots]
  const found = yield* links.resolved(resolve, self)
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
    hreflang: asWritten(hreflang, metadata.languageCodes),
    refresh,
    links: found,
    text,
    metadata: { title, description, canonical, lang, og, twitter, json_ld: jsonLd.found },
    contentHash: content.hex([...stated, jsonLd.found], found),
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

/** Returns the values with their language codes as the page writes them. Codes have no case (BCP 47, 2.1.1). */
const asWritten = (
  values: Record<string, string>,
  codes: ReadonlyMap<string, string>,
): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([code, href]) => [codes.get(code) ?? code, href]))

const sorted = (values: Record<string, string>): [string, string][] =>
  Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))
