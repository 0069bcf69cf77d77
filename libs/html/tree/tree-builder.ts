/**
 * Builds a tree from the tokenizer's positions. Every tag costs at most a walk over the open elements, of which there
 * are at most a few hundred, so any page takes time linear in its length.
 */
import { type Document, Element, type ParentNode, Text } from 'domhandler'
import type { TokenizerCallbacks } from 'htmlparser2'
import { decodeAttribute, decodeText } from '../character-references.ts'
import { type ElementRule, foreignRuleOf, isVerbatim, ruleOf, stops } from './element-rules.ts'
import { isShadowRoot } from './hidden.ts'
import { OpenElements } from './open-elements.ts'

const namespaces = new Map([
  ['svg', 'http://www.w3.org/2000/svg'],
  ['math', 'http://www.w3.org/1998/Math/MathML'],
])
const once = new Set(['html', 'head', 'body'])
const beforeBody = new Set(['', 'html', 'head', 'noscript'])
const sections = new Set(['table', 'tbody', 'thead', 'tfoot'])
const headings = /^h[1-6]$/
const notWhite = /[^\t\n\f\r ]/

export class TreeBuilder implements TokenizerCallbacks {
  readonly #html: string
  readonly #open: OpenElements
  readonly #seen = new Set<string>()
  /** In the order of the page. */
  readonly shadowRoots: Element[] = []
  /** Elements with TeX, which MathJax draws: scripts, and those that are named as formulas. */
  readonly formulas: Element[] = []
  #name = ''
  #attributes: Record<string, string> = {}
  #attribute = ''
  #skipNewline = false

  /** Requires a tokenizer that reads `html` in one piece and decodes nothing. */
  constructor(html: string, root: Document) {
    this.#html = html
    this.#open = new OpenElements(root)
  }

  isInForeignContext(): boolean {
    return this.#open.foreign
  }

  onopentagname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase()
    this.#name = name === 'image' ? 'img' : name
    this.#attributes = {}
  }

  /** Reads the name of an attribute. Of two with the same name the first counts. */
  onattribname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase()
    const isNew = !(name in this.#attributes)
    this.#attribute = isNew ? name : ''
    if (isNew) this.#attributes[name] = ''
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== '')
      this.#attributes[this.#attribute] = decodeAttribute(this.#html.slice(start, end))
  }

  onopentagend(): void {
    this.#start(false)
  }

  onselfclosingtag(): void {
    this.#start(true)
  }

  onclosetag(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase()
    this.#skipNewline = false
    if (name === 'html' || name === 'body' || this.#open.settleRefused(name)) return
    if (name === this.#open.name) {
      this.#open.closeFrom(this.#open.length - 1)
      return
    }
    if (this.#open.foreign) {
      const position = this.#open.findForeign(name)
      if (position !== -1) this.#open.closeFrom(position)
      if (position !== -1) return
    }
    this.#end(name)
  }

  ontext(start: number, end: number): void {
    const text = this.#html.slice(start, end)
    this.#addText(isVerbatim(this.#open.name) ? text : decodeText(text))
  }

  /** A CDATA section is text in SVG and MathML, and a comment elsewhere. */
  oncdata(start: number, end: number, offset: number): void {
    if (this.#open.foreign) this.#addText(this.#html.slice(start, end - offset))
  }

  onattribend(): void {}
  onattribentity(): void {}
  ontextentity(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #start(selfClosing: boolean): void {
    const open = this.#open
    const rule = ruleOf(this.#name)
    this.#skipNewline = false
    if (open.foreign && rule.breaksOut) open.leaveForeign()
    const namespace = open.foreign ? (open.node as Element).namespace : namespaces.get(this.#name)
    if (namespace === undefined) this.#startHtml(this.#name, rule)
    else this.#startForeign(this.#name, namespace, selfClosing)
  }

  #startHtml(name: string, rule: ElementRule): void {
    const open = this.#open
    if (once.has(name) && !this.#opensOnce(name)) return
    if (!rule.head && open.name === 'head') this.#end('head')
    for (const { group, within } of rule.ends) {
      const position = open.findGroup(group, within)
      if (position !== -1) open.close(position)
    }
    if (rule.group === 'cell' && sections.has(open.name)) this.#append('tr', {}, ruleOf('tr'))
    this.#append(name, this.#attributes, rule)
    this.#skipNewline = rule.skipsNewline
  }

  #startForeign(name: string, namespace: string, selfClosing: boolean): void {
    this.#append(name, this.#attributes, foreignRuleOf(name), namespace)
    if (selfClosing && this.#open.name === name) this.#open.closeFrom(this.#open.length - 1)
  }

  /** Returns whether the element opens: only the first of each name, and only at an allowed position. */
  #opensOnce(name: string): boolean {
    if (this.#seen.has(name) || !this.#open.onlyOpen(beforeBody)) return false
    this.#seen.add(name)
    const head = this.#open.find('head', 0)
    if (head !== -1) this.#open.closeFrom(head)
    return true
  }

  #end(name: string): void {
    const open = this.#open
    if (name === 'br') this.#append('br', {}, ruleOf('br'))
    const rule = ruleOf(name)
    const position = headings.test(name)
      ? open.findGroup('heading', stops.scope)
      : open.find(name, rule.within)
    if (position !== -1) open.close(position)
  }

  #append(name: string, attributes: Record<string, string>, rule: ElementRule, namespace?: string): void {
    const element = new Element(rule.name || name, attributes)
    if (namespace !== undefined) element.namespace = namespace
    appendTo(this.#open.node, element)
    if (mayHoldTex(name, attributes)) this.formulas.push(element)
    if (isShadowRoot(element)) this.shadowRoots.push(element)
    if (!rule.void) this.#open.push(element, rule)
  }

  #addText(text: string): void {
    let added = text
    if (this.#skipNewline) {
      this.#skipNewline = false
      if (text.startsWith('\n')) added = text.slice(1)
    }
    if (added === '') return
    if (this.#open.name === 'head' && notWhite.test(added)) this.#end('head')
    const { node } = this.#open
    const last = node.children[node.children.length - 1]
    if (last instanceof Text) last.data += added
    else appendTo(node, new Text(added))
  }
}

/** Returns whether an element is a script with TeX, or named as a formula by Sphinx, Pandoc or MkDocs. */
function mayHoldTex(name: string, { type, class: names }: Record<string, string>): boolean {
  if (name === 'script') return type !== undefined && /^math\/tex/i.test(type)
  return names?.includes('mat') === true && (name === 'span' || name === 'div') && formulaClass.test(names)
}

const formulaClass = /(?:^|\s)(?:math|arithmatex)(?=\s|$)/

function appendTo(parent: ParentNode, node: Element | Text): void {
  const { children } = parent
  node.parent = parent
  if (children.length === 0) {
    // Most elements have one child, and an array literal reserves no memory for sixteen more.
    parent.children = [node]
    return
  }
  const last = children[children.length - 1] as Element | Text
  node.prev = last
  last.next = node
  children.push(node)
}
