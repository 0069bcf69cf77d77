/**
 * The nodes of a page with the DOM interface that `turndown` uses. Each property takes constant time: results for which
 * a DOM would read all text below an element are cached.
 */

/** Maximum white space at each end of a text that turndown reads. */
const maxEdgeLength = 100

export class CommonmarkText {
  readonly nodeType = 3
  readonly nodeName = '#text'
  readonly firstChild = null
  readonly parentNode: CommonmarkElement
  previousSibling: CommonmarkNode | null = null
  nextSibling: CommonmarkNode | null = null
  /** Rewritten when white space is collapsed. */
  data: string

  constructor(data: string, parent: CommonmarkElement) {
    this.data = data
    this.parentNode = parent
  }

  get nodeValue(): string {
    return this.data
  }

  get textContent(): string {
    return this.data
  }
}

export class CommonmarkElement {
  readonly nodeType = 1
  readonly nodeName: string
  readonly parentNode: CommonmarkElement | null
  previousSibling: CommonmarkNode | null = null
  nextSibling: CommonmarkNode | null = null
  firstChild: CommonmarkNode | null = null
  /** Index among the elements of its parent. */
  position = 0
  #last: CommonmarkNode | null = null
  #elements = 0
  readonly #attributes: Readonly<Record<string, string>>
  readonly #namesInside = new Set<string>()
  #outline: string | null = null

  constructor(name: string, attributes: Readonly<Record<string, string>>, parent: CommonmarkElement | null) {
    this.nodeName = name.toUpperCase()
    this.#attributes = attributes
    this.parentNode = parent
  }

  get childNodes(): CommonmarkNode[] {
    const nodes: CommonmarkNode[] = []
    for (let node = this.firstChild; node !== null; node = node.nextSibling) nodes.push(node)
    return nodes
  }

  get lastElementChild(): CommonmarkElement | null {
    let node = this.#last
    while (node instanceof CommonmarkText) node = node.previousSibling
    return node
  }

  /**
   * Returns all text of a `code` element. For other elements returns a short text with the same start, end and
   * blankness, because turndown inspects nothing else.
   */
  get textContent(): string {
    if (this.nodeName === 'CODE') return this.whole()
    this.#outline ??= outlineOf(this.childNodes)
    return this.#outline
  }

  /** All text in it. */
  whole(): string {
    return this.childNodes.map(node => (node instanceof CommonmarkText ? node.data : node.whole())).join('')
  }

  getAttribute(name: string): string | null {
    return this.#attributes[name] ?? null
  }

  /** Returns only whether such elements exist, because turndown compares the count with zero. */
  getElementsByTagName(name: string): { length: 0 | 1 } {
    return { length: this.#namesInside.has(name) ? 1 : 0 }
  }

  /** The tree is made for one use and may be changed. */
  cloneNode(): this {
    return this
  }

  append(child: CommonmarkNode): void {
    child.previousSibling = this.#last
    if (this.#last === null) this.firstChild = child
    else this.#last.nextSibling = child
    this.#last = child
    if (child instanceof CommonmarkText) return
    child.position = this.#elements
    this.#elements += 1
    let outer: CommonmarkElement | null = this
    for (; outer !== null && !outer.#namesInside.has(child.nodeName); outer = outer.parentNode)
      outer.#namesInside.add(child.nodeName)
  }

  removeChild({ previousSibling: before, nextSibling: after }: CommonmarkNode): void {
    if (before === null) this.firstChild = after
    else before.nextSibling = after
    if (after === null) this.#last = before
    else after.previousSibling = before
  }
}

export type CommonmarkNode = CommonmarkText | CommonmarkElement

function outlineOf(nodes: readonly CommonmarkNode[]): string {
  const text = nodes.map(({ textContent }) => textContent).join('')
  const start = text.trimStart()
  if (start === '') return text.slice(0, maxEdgeLength)
  const before = text.slice(0, Math.min(text.length - start.length, maxEdgeLength))
  return `${before}x${start.slice(start.trimEnd().length).slice(0, maxEdgeLength)}`
}
