/**
 * The signals of a page for search engines and AI bots, from the facts of a crawl and a few inputs. Pure: the same
 * facts give the same signals.
 */
import type { PageFacts, PageLink } from '../page-facts.ts'
import { nameOfType, nodesOf, typesOf } from '../structured/json-ld.ts'
import { type AiDirectives, type AiInputs, aiDirectivesOf } from './ai-directives.ts'

/** The Signals object of the API. */
export type Signals = {
  title: string | null
  description: string | null
  canonical: string | null
  lang: string | null
  h1: string[]
  h2: string[]
  h3: string[]
  robots_meta: string[]
  jsonld_types: string[]
  hreflang: Record<string, string>
  ai_directives: AiDirectives
  word_count: number
  char_count: number
  links: { internal: number; external: number; nofollow: number; total: number }
}

/** Inputs that the facts of a crawl do not have. */
export type SignalInputs = AiInputs & {
  /** Returns whether an address is on the page's own site. */
  isInternal: (href: string) => boolean
}

/** Returns the signals of the page of these facts. */
export function signalsOf(facts: PageFacts, inputs: SignalInputs): Signals {
  const { title, description, canonical, lang, h1, h2, h3, robotsMeta, hreflang, text } = facts
  return {
    title,
    description,
    canonical,
    lang,
    h1,
    h2,
    h3,
    robots_meta: robotsMeta,
    jsonld_types: jsonLdTypes(facts.metadata.json_ld),
    hreflang,
    ai_directives: aiDirectivesOf(facts, inputs),
    word_count: text.words,
    char_count: text.length,
    links: countLinks(facts.links, inputs.isInternal),
  }
}

const maxTypes = 1000

/** Returns each distinct `@type` of the items, of the members of their `@graph` and of all nested objects. */
export function jsonLdTypes(items: readonly object[]): string[] {
  const types = new Set<string>()
  for (const node of nodesOf(items)) {
    for (const type of typesOf(node)) if (types.size < maxTypes) types.add(nameOfType(type))
  }
  types.delete('')
  return [...types]
}

function countLinks(links: readonly PageLink[], isInternal: (href: string) => boolean): Signals['links'] {
  const counts = { internal: 0, external: 0, nofollow: 0, total: links.length }
  for (const { href, nofollow } of links) {
    counts[isInternal(href) ? 'internal' : 'external'] += 1
    if (nofollow) counts.nofollow += 1
  }
  return counts
}
