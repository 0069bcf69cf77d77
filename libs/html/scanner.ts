/**
 * Converts the tokenizer's positions into elements and text for the collectors of a page. It keeps neither a tree nor
 * a stack of all open elements, so nesting costs no memory and unclosed tags do little harm.
 */
import type { TokenizerCallbacks } from 'htmlparser2'
import { Attributes } from './attributes.ts'
import { decodeText } from './character-references.ts'
import type { CodeWindow } from './code-window.ts'
import { type Element, elementOf } from './elements.ts'
import type { Page } from './page.ts'
import type { ScopeKind } from './scopes.ts'

export class Scanner implements TokenizerCallbacks {
  readonly #html: string
  readonly #window: CodeWindow
  readonly #page: Page
  readonly #attributes: Attributes
  #element: Element = elementOf('')
  /** The open element whose text is not text of the page. */
  #raw: Element | null = null
  /** Position of the next ampersand, or the end. Text before it needs no decoding. */
  #ampersand = -1

  /**
   * Requires a tokenizer that reads `html` in one piece and decodes nothing.
   * @param window Window of `html`.
   */
  constructor(html: string, window: CodeWindow, page: Page) {
    this.#html = html
    this.#window = window
    this.#page = page
    this.#attributes = new Attributes(html)
  }

  isInForeignContext(): boolean {
    return this.#page.scopes.foreign
  }

  onopentagname(start: number, end: number): void {
    const element = elementOf(this.#html.slice(start, end))
    this.#element = element
    this.#attributes.begin(element.attributes)
    if (!element.inline) this.#endWord()
    if (element.breaksOut && this.#page.scopes.foreign) {
      this.#page.scopes.leaveForeign()
      this.#raw = null
    }
  }

  onattribname(start: number, end: number): void {
    this.#attributes.name(start, end)
  }

  onattribdata(start: number, end: number): void {
    this.#attributes.value(start, end)
  }

  onopentagend(): void {
    const element = this.#element
    const { scopes } = this.#page
    if (element.text !== undefined) this.#raw = element
    if (this.#attributes.hasData && !scopes.hidden) this.#addData(element)
    if (element.open !== undefined && this.#counts(element)) element.open(this.#page, this.#attributes)
    const scope = this.#scopeOf(element)
    if (scope !== null) scopes.enter(element.name, scope)
  }

  /** Closes the element at `/>` in SVG and MathML. HTML ignores the slash. */
  onselfclosingtag(): void {
    this.onopentagend()
    if (this.#page.scopes.foreign) this.#close(this.#element)
  }

  onclosetag(start: number, end: number): void {
    this.#close(elementOf(this.#html.slice(start, end)))
  }

  ontext(start: number, end: number): void {
    if (this.#raw !== null) this.#addRaw(this.#raw, start, end)
    else if (!this.#page.scopes.inert) this.#addText(start, end)
  }

  /** A CDATA section is text in SVG and MathML, and a comment elsewhere. */
  oncdata(start: number, end: number, offset: number): void {
    if (this.#page.scopes.foreign && this.#raw === null)
      this.#addDecoded(this.#html.slice(start, end - offset))
  }

  onattribend(): void {}
  onattribentity(): void {}
  ontextentity(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #close(element: Element): void {
    const { scopes } = this.#page
    if (!element.inline) this.#endWord()
    if (this.#raw === element) this.#raw = null
    if (element.scope !== undefined) {
      scopes.leave(element.name)
      this.#raw = null
    }
    if (element.close !== undefined && this.#counts(element)) element.close(this.#page)
  }

  #counts(element: Element): boolean {
    const { scopes } = this.#page
    return !scopes.hidden || (!scopes.inert && element.unscripted === true)
  }

  /** Returns the scope of an element. A template with a shadow root is shown like other content. */
  #scopeOf({ name, scope }: Element): ScopeKind | null {
    if (scope === 'html' && !this.#page.scopes.foreign) return null
    if (name === 'template' && this.#attributes.get('shadowrootmode') !== null) return 'html'
    return scope ?? null
  }

  #addData({ media }: Element): void {
    const { likeness } = this.#page
    this.#attributes.eachData((name, value) => likeness.addData(name, value, media === true))
  }

  #addRaw({ text }: Element, start: number, end: number): void {
    const { scopes } = this.#page
    if (text !== undefined && !scopes.foreign && !scopes.hidden)
      text(this.#page, this.#html.slice(start, end))
  }

  #addText(start: number, end: number): void {
    if (this.#ampersand < start) {
      const next = this.#html.indexOf('&', start)
      this.#ampersand = next === -1 ? this.#html.length : next
    }
    if (this.#ampersand < end) this.#addDecoded(decodeText(this.#html.slice(start, end)))
    else this.#addPlain(start, end)
  }

  #addPlain(start: number, end: number): void {
    const { scopes, content, likeness, links, headings } = this.#page
    links.text?.part(scopes.hidden).add(this.#window, start, end)
    if (scopes.hidden) return
    content.text.add(this.#window, start, end, links.text === null ? likeness.text : null)
    headings.text?.part(false).add(this.#window, start, end)
  }

  #addDecoded(text: string): void {
    const { scopes, content, likeness, links, headings } = this.#page
    links.text?.part(scopes.hidden).addString(text)
    if (scopes.hidden) return
    content.text.addString(text)
    if (links.text === null) likeness.text.addString(text)
    headings.text?.part(false).addString(text)
  }

  #endWord(): void {
    const { content, likeness, links, headings } = this.#page
    content.text.gap()
    likeness.text.gap()
    links.text?.gap()
    headings.text?.gap()
  }
}
