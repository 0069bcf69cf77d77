/**
 * Collects the statements of `<title>`, `<meta>` and `<link>` about a page. If two contradict each other, the first
 * counts.
 */
import type { Attributes } from './attributes.ts'
import { decodeText } from './character-references.ts'
import { ownText, ownTextOrNull } from './own-text.ts'

const maxTitleLength = 1000
const maxValueLength = 2000
const maxNameLength = 100
const maxHrefLength = 8192
const maxNames = 100
const maxNamed = 500
/** Maximum number and total characters of directives for robots. */
const robotsLimits = { rules: 100, characters: 2000 }
/** Directives that change what a crawler does. They are kept beyond the limits. */
const decisiveRules: readonly string[] = ['noindex', 'nofollow', 'none']

export class Metadata {
  title: string | null = null
  description: string | null = null
  lang: string | null = null
  /** As written in the page, like all addresses here. */
  canonical: string | null = null
  refresh: string | null = null
  base: string | null = null
  readonly robots = new Set<string>()
  readonly og = new Map<string, string>()
  readonly twitter = new Map<string, string>()
  /** URLs of alternates by language code in lower case. */
  readonly hreflang = new Map<string, string>()
  /** The codes of `hreflang` as the page writes them, by code in lower case. */
  readonly languageCodes = new Map<string, string>()
  /** Names in lower case and contents of `<meta name>` for single crawlers or other conventions. */
  readonly named: [name: string, content: string][] = []
  #hasTitle = false
  #robotsLength = 0

  /** Adds the text of a `<title>`, with encoded references. */
  addTitle(text: string): void {
    if (this.#hasTitle) return
    this.#hasTitle = true
    this.title = ownTextOrNull(decodeText(text.slice(0, maxTitleLength * 10)), maxTitleLength)
  }

  addHtml(attributes: Attributes): void {
    this.lang ??= ownTextOrNull(attributes.get('lang'), maxNameLength)
  }

  addBase(attributes: Attributes): void {
    this.base ??= attributes.get('href')
  }

  addLink(attributes: Attributes): void {
    const href = attributes.get('href')?.slice(0, maxHrefLength) ?? ''
    const relations = (attributes.get('rel') ?? '').toLowerCase().split(/[\t\n\f\r ]+/)
    if (href.trim() === '') return
    if (relations.includes('canonical')) this.canonical ??= href
    if (!relations.includes('alternate')) return
    const language = ownText(attributes.get('hreflang') ?? '', maxNameLength)
    if (language === '') return
    keepFirst(this.hreflang, language.toLowerCase(), href)
    keepFirst(this.languageCodes, language.toLowerCase(), language)
  }

  addMeta(attributes: Attributes): void {
    const content = attributes.get('content')
    if (content === null) return
    if (attributes.get('http-equiv')?.toLowerCase() === 'refresh') this.refresh ??= refreshTarget(content)
    for (const attribute of ['name', 'property']) {
      const name = attributes.get(attribute)
      if (name !== null) this.#addNamed(attribute, ownText(name, maxNameLength).toLowerCase(), content)
    }
  }

  #addNamed(attribute: string, name: string, content: string): void {
    if (name === 'description') this.description ??= ownTextOrNull(content, maxValueLength)
    else if (name === 'robots') this.#addRobots(content)
    else if (name.startsWith('og:')) keepFirst(this.og, name.slice(3), ownText(content, maxValueLength))
    else if (name.startsWith('twitter:'))
      keepFirst(this.twitter, name.slice(8), ownText(content, maxValueLength))
    else if (attribute === 'name' && this.named.length < maxNamed)
      this.named.push([name, ownText(content, maxValueLength)])
  }

  #addRobots(content: string): void {
    for (const part of ownText(content, maxValueLength).toLowerCase().split(',')) {
      const rule = part.trim()
      if (rule === '' || this.robots.has(rule)) continue
      const characters = this.#robotsLength + rule.length
      const fits = this.robots.size < robotsLimits.rules && characters <= robotsLimits.characters
      if (!fits && !decisiveRules.includes(rule)) continue
      this.robots.add(rule)
      this.#robotsLength = characters
    }
  }
}

function keepFirst(values: Map<string, string>, name: string, value: string): void {
  const usable = name !== '' && name !== '__proto__' && value !== ''
  if (usable && values.size < maxNames && !values.has(name)) values.set(name, value)
}

/**
 * Returns the target of `<meta http-equiv=refresh>` as written, by the shared declarative refresh steps of the WHATWG
 * HTML standard. null: there is no target, and the page only reloads.
 */
function refreshTarget(content: string): string | null {
  const time = /^[\t\n\f\r ]*(?:\d+|(?=\.))[\d.]*/.exec(content)
  if (time === null) return null
  const rest = content.slice(time[0].length)
  const separator = /^[\t\n\f\r ]*[;,][\t\n\f\r ]*|^[\t\n\f\r ]+/.exec(rest)
  if (separator === null) return null
  const address = rest.slice(separator[0].length).replace(/^url[\t\n\f\r ]*=[\t\n\f\r ]*/i, '')
  return unquoted(address).trim() || null
}

/** Removes quotes. A quote at the start ends at the next equal quote, or not at all. */
function unquoted(address: string): string {
  const quote = address.charAt(0)
  if (quote !== '"' && quote !== "'") return address
  const end = address.indexOf(quote, 1)
  return address.slice(1, end === -1 ? address.length : end)
}
