/**
 * Collects the links of a page with their text. They are resolved at the end, because the `<base>` that affects them
 * may follow later.
 */
import type { Attributes } from './attributes.ts'
import { OpenText } from './open-text.ts'
import { ownText } from './own-text.ts'
import type { PageLink } from './page-facts.ts'

const maxLinks = 50_000
const linksPerStep = 5_000
/** Maximum characters of all targets. With a long base, few bytes of a page can expand a hundredfold. */
const maxCharacters = 16 * 1024 ** 2
const maxAnchorLength = 200
const maxRelLength = 200
/** HTML separates the keywords of `rel` by white space. Search engines also accept commas. */
const keywordBreak = /[ ,]/

export class Links {
  /** The text of the open link, or null if none is open. */
  text: OpenText | null = null
  /** Whether the page has a base so far, with which `#top` may lead to another page. */
  hasBase = false
  readonly #found: PageLink[] = []

  /**
   * Opens an `<a>`, and closes the previous one, because links do not nest.
   * @param isSvg whether it is one of SVG, which may state its target as `xlink:href` (SVG 2, linking attributes)
   */
  open(attributes: Attributes, isSvg: boolean): void {
    this.close()
    const older = isSvg ? attributes.get('xlink:href') : null
    if (!this.#add(attributes, attributes.get('href') ?? older)) return
    this.text = anchorText
    anchorText.reset()
  }

  /** Closes the open link, if any. */
  close(): void {
    const link = this.#found.at(-1)
    if (this.text !== null && link !== undefined) link.anchor = this.text.take(maxAnchorLength)
    this.text = null
  }

  /** Adds an `<area>`, which is a link without content. */
  area(attributes: Attributes): void {
    this.#addNamed(attributes, attributes.get('href'), attributes.get('alt'))
  }

  /** Adds a `<frame>`: the page that a frameset shows there. */
  frame(attributes: Attributes): void {
    this.#addNamed(attributes, attributes.get('src'), attributes.get('title'))
  }

  /**
   * Yields between steps, and returns the resolved links in order, with repetitions. Links beyond 16 MB of targets
   * are left out.
   * @param self the page itself: an anchor in it is not a link
   */
  *resolved(resolve: (href: string) => string | null, self: string | null): Generator<void, PageLink[]> {
    const links: PageLink[] = []
    let left = maxCharacters
    for (const [n, { href, anchor, rel, nofollow }] of this.#found.entries()) {
      const target = resolve(href)
      if (target !== null && !(target === self && isAnchor(href))) {
        left -= target.length
        if (left < 0) break
        links.push({ href: target, anchor, rel, nofollow })
      }
      if (n % linksPerStep === linksPerStep - 1) yield
    }
    return links
  }

  #addNamed(attributes: Attributes, href: string | null, name: string | null): void {
    this.close()
    const link = this.#add(attributes, href) ? this.#found.at(-1) : undefined
    if (link !== undefined) link.anchor = ownText(name ?? '', maxAnchorLength)
  }

  /** Adds a link, if it may leave the page. An anchor (`#top`) leaves it only with a base (WHATWG HTML, 4.2.3). */
  #add(attributes: Attributes, href: string | null): boolean {
    if (href === null || this.#found.length === maxLinks) return false
    if (!this.hasBase && isAnchor(href)) return false
    const stated = attributes.get('rel')
    const rel = stated === null ? null : ownText(stated, maxRelLength)
    const nofollow = rel?.toLowerCase().split(keywordBreak).includes('nofollow') ?? false
    this.#found.push({ href, anchor: '', rel, nofollow })
    return true
  }
}

const isAnchor = (href: string): boolean => href.trimStart().startsWith('#')

const anchorText = new OpenText()
