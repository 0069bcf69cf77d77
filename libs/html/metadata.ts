/** Collects what `<title>`, `<meta>` and `<link>` say about a page. Of two that contradict, the first counts. */
import type { Attributes } from './attributes.ts'
import { decodeText } from './character-references.ts'
import { ownText, ownTextOrNull } from './own-text.ts'
import { refreshTarget } from './refresh.ts'

const longestTitle = 1000
const longestValue = 2000
const longestName = 100
const longestHref = 8192
const mostNames = 100
const mostNamed = 500

export class Metadata {
  title: string | null = null
  description: string | null = null
  lang: string | null = null
  /** As it stands in the page, like all addresses here. */
  canonical: string | null = null
  refresh: string | null = null
  base: string | null = null
  readonly robots = new Set<string>()
  readonly og = new Map<string, string>()
  readonly twitter = new Map<string, string>()
  readonly hreflang = new Map<string, string>()
  /** What `<meta name>` says to some crawlers or in the name of some convention, by name in lower case. */
  readonly named: [name: string, content: string][] = []
  #titled = false

  /** The text of a `<title>`, its references not yet decoded. */
  addTitle(text: string): void {
    if (this.#titled) return
    this.#titled = true
    this.title = ownTextOrNull(decodeText(text.slice(0, longestTitle * 10)), longestTitle)
  }

  addHtml(attributes: Attributes): void {
    this.lang ??= ownTextOrNull(attributes.get('lang'), longestName)
  }

  addBase(attributes: Attributes): void {
    this.base ??= attributes.get('href')
  }

  addLink(attributes: Attributes): void {
    const href = attributes.get('href')?.slice(0, longestHref) ?? ''
    const relations = (attributes.get('rel') ?? '').toLowerCase().split(/[\t\n\f\r ]+/)
    if (href.trim() === '') return
    if (relations.includes('canonical')) this.canonical ??= href
    if (!relations.includes('alternate')) return
    const language = ownText(attributes.get('hreflang') ?? '', longestName).toLowerCase()
    if (language !== '') keepFirst(this.hreflang, language, href)
  }

  addMeta(attributes: Attributes): void {
    const content = attributes.get('content')
    if (content === null) return
    if (attributes.get('http-equiv')?.toLowerCase() === 'refresh') this.refresh ??= refreshTarget(content)
    for (const attribute of ['name', 'property']) {
      const name = attributes.get(attribute)
      if (name !== null) this.#addNamed(attribute, ownText(name, longestName).toLowerCase(), content)
    }
  }

  #addNamed(attribute: string, name: string, content: string): void {
    if (name === 'description') this.description ??= ownTextOrNull(content, longestValue)
    else if (name === 'robots') this.#addRobots(content)
    else if (name.startsWith('og:')) keepFirst(this.og, name.slice(3), ownText(content, longestValue))
    else if (name.startsWith('twitter:'))
      keepFirst(this.twitter, name.slice(8), ownText(content, longestValue))
    else if (attribute === 'name' && this.named.length < mostNamed)
      this.named.push([name, ownText(content, longestValue)])
  }

  #addRobots(content: string): void {
    for (const rule of ownText(content, longestValue).toLowerCase().split(',')) {
      if (rule.trim() !== '') this.robots.add(rule.trim())
    }
  }
}

function keepFirst(values: Map<string, string>, name: string, value: string): void {
  const usable = name !== '' && name !== '__proto__' && value !== ''
  if (usable && values.size < mostNames && !values.has(name)) values.set(name, value)
}
