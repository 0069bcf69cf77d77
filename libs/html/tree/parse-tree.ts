/**
 * Parses a page into a tree for Markdown, the article and structured data. Any text is a page: it never throws, takes
 * time linear in the length of the text and nests at most 512 elements, and those in slots 64 more.
 */
import { type ChildNode, Document, Element, type ParentNode } from 'domhandler'
import { QuickTokenizer } from '../quick-tokenizer.ts'
import { rawTextOf } from './raw-text.ts'
import { TreeBuilder } from './tree-builder.ts'
import { walk } from './walk.ts'

/**
 * Parses a page like browsers (WHATWG HTML, 13.2), without running its scripts. Names of elements and attributes are
 * in lower case. Elements of SVG and MathML have a `namespace`, those of HTML have none. Nothing is added to the
 * page: `html`, `head` and `body` exist only if they have tags. The contents of `template` and `noscript` are
 * children like others. A declarative shadow root is one too, with what its host assigns to its slots. Comments and
 * the doctype are left out. Scripts with TeX are formulas.
 */
export function parseTree(html: string): Document {
  const root = new Document([])
  const text = normalized(html)
  const builder = new TreeBuilder(text, root)
  const tokenizer = new QuickTokenizer({ decodeEntities: false }, builder)
  tokenizer.write(text)
  tokenizer.end()
  for (const element of builder.formulas) {
    if (element.name === 'script') becomeFormula(element)
    else nameFormula(element)
  }
  for (const shadowRoot of builder.shadowRoots) assign(shadowRoot)
  return root
}

/** Normalizes line breaks to line feeds (WHATWG HTML, 13.2.3.5), and replaces NUL. */
function normalized(html: string): string {
  const text = html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}

/** Makes a script of TeX the formula that MathJax draws in its place, unless the drawing is before it. */
function becomeFormula(script: Element): void {
  const { prev, attribs } = script
  if (prev instanceof Element && /mathjax|mjx/i.test(prev.attribs.class ?? '')) return
  const display = /mode\s*=\s*display/i.test(attribs.type ?? '') ? 'block' : 'inline'
  script.attribs = { display, alttext: rawTextOf(script).replace(cdata, '') }
  script.name = 'math'
  script.type = 'tag' as Element['type'] // not that of a script
  script.children = []
}

/** Makes the TeX in an element a formula. The element may have its number too. */
function nameFormula(element: Element): void {
  for (const [at, child] of element.children.entries()) {
    const [, open, tex] = (child.type === 'text' && delimited.exec(child.data.trim())) || []
    if (tex === undefined) continue
    const display = open === '[' ? 'block' : 'inline'
    const formula = new Element('math', { display, alttext: tex.trim() })
    setChildren(element, element.children.with(at, formula))
    return
  }
}

const delimited = /^\\([([])(.+)\\[)\]]$/s

/** Comments of TeX that hide the markup from readers of XML. */
const cdata = /^\s*%\s*<!\[CDATA\[|%\s*\]\]>\s*$/g

/** Moves the children of a host into the slots of its shadow root, in place of the default content of the slots. */
function assign(shadowRoot: Element): void {
  const host = shadowRoot.parent
  if (!(host instanceof Element)) return
  const children = Map.groupBy(host.children, child => (child === shadowRoot ? null : slotOf(child)))
  const slots = slotsIn(shadowRoot, name => children.get(name)?.every(isBlank) === false)
  const moved = new Set<ChildNode>()
  for (const [name, slot] of slots) {
    const assigned = children.get(name) ?? []
    if (depthOf(slot) > maxSlotDepth) continue
    setChildren(slot, assigned)
    for (const child of assigned) moved.add(child)
  }
  setChildren(
    host,
    host.children.filter(child => !moved.has(child)),
  )
}

/** Returns the first slot of each of these names. Those in other shadow roots inside are not slots of this one. */
function slotsIn(shadowRoot: Element, isAssigned: (name: string) => boolean): Map<string, Element> {
  const slots = new Map<string, Element>()
  walk(shadowRoot, {
    enter: element => {
      const name = element.attribs.name ?? ''
      if (element.name !== 'slot' || slots.has(name) || !isAssigned(name)) return element.name !== 'template'
      slots.set(name, element)
      return false
    },
  })
  return slots
}

/** Slots that are nested deeper keep their content, because many hosts in each other would nest without a limit. */
const maxSlotDepth = 64

/** Returns the number of nodes around a node, as far as it does not exceed the maximum. */
function depthOf(node: ChildNode): number {
  let depth = 0
  for (let at = node.parent; at !== null && depth <= maxSlotDepth; at = at.parent) depth += 1
  return depth
}

const slotOf = (node: ChildNode): string => (node instanceof Element ? (node.attribs.slot ?? '') : '')
export const isBlank = (node: ChildNode): boolean => node.type === 'text' && !/\S/.test(node.data)

/** Replaces the children of a node. */
export function setChildren(parent: ParentNode, children: ChildNode[]): void {
  parent.children = children
  for (const [n, child] of children.entries()) {
    child.parent = parent
    child.prev = children[n - 1] ?? null
    child.next = children[n + 1] ?? null
  }
}
