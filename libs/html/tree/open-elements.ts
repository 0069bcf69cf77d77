/**
 * The elements that are open while a page is read, outermost first, at most `maxDepth`. The most frequent question,
 * whether an element is open at all, needs no search.
 */
import type { Element, ParentNode } from 'domhandler'
import { type ElementRule, type Group, groups, holdsHtml, stops } from './element-rules.ts'

/** Maximum depth of elements: the limit of Blink. */
const maxDepth = 512

export class OpenElements {
  readonly #nodes: ParentNode[]
  readonly #names: string[] = ['']
  readonly #rules: (ElementRule | null)[] = [null]
  readonly #depths: number[] = [0]
  /** Number of open elements of each group. */
  readonly #groups = Object.fromEntries(groups.map(group => [group, 0])) as Record<Group, number>
  /** Number of elements by name that were too deep to be opened, so that their end tags end nothing. */
  readonly #refused = new Map<string, number>()

  constructor(root: ParentNode) {
    this.#nodes = [root]
  }

  /** The element that receives content. */
  get node(): ParentNode {
    return this.#nodes[this.#nodes.length - 1] as ParentNode
  }

  /** Name of that element, or the empty string for the document. */
  get name(): string {
    return this.#names[this.#names.length - 1] as string
  }

  /** Whether tags are read as SVG or MathML. */
  get foreign(): boolean {
    const rule = this.#rules[this.#rules.length - 1]
    return rule !== null && rule !== undefined && !holdsHtml(rule)
  }

  /** Opens an element that was appended. An element that is too deep stays empty, and its content follows it. */
  push(element: Element, rule: ElementRule): void {
    const depth = (this.#depths[this.#depths.length - 1] as number) + 1
    if (depth >= maxDepth && !rule.raw) {
      this.#refused.set(element.name, (this.#refused.get(element.name) ?? 0) + 1)
      return
    }
    this.#nodes.push(element)
    this.#names.push(element.name)
    this.#rules.push(rule)
    this.#depths.push(depth)
    if (rule.group !== null) this.#count(rule.group, 1)
  }

  /** Returns whether an end tag belongs to an element that was too deep, and removes that element. */
  settleRefused(name: string): boolean {
    if (this.#refused.size === 0) return false
    const count = this.#refused.get(name) ?? 0
    if (count === 0) return false
    this.#refused.set(name, count - 1)
    return true
  }

  /** Returns the position of the innermost open element of that group within the search limits, or -1. */
  findGroup(group: Group, within: number): number {
    if (this.#groups[group] === 0) return -1
    for (let at = this.#rules.length - 1; at > 0; at--) {
      const rule = this.#rules[at] as ElementRule
      if (rule.group === group) return at
      if ((rule.stops & within) !== 0) return -1
    }
    return -1
  }

  /** Returns the position of the innermost open element of that name within the search limits, or -1. */
  find(name: string, within: number): number {
    for (let at = this.#names.length - 1; at > 0; at--) {
      if (this.#names[at] === name) return at
      if (((this.#rules[at] as ElementRule).stops & within) !== 0) return -1
    }
    return -1
  }

  /** Returns the innermost element of SVG or MathML with that name, inside of any HTML. */
  findForeign(name: string): number {
    for (let at = this.#names.length - 1; at > 0 && !holdsHtml(this.#rules[at] as ElementRule); at--) {
      if (this.#names[at] === name) return at
    }
    return -1
  }

  /** Ends the element at that position, and all in it. */
  closeFrom(position: number): void {
    while (this.#nodes.length > position) {
      const group = this.#rules.pop()?.group
      if (group != null) this.#count(group, -1)
      this.#nodes.pop()
      this.#names.pop()
      this.#depths.pop()
    }
    if (this.#refused.size > 0) this.#refused.clear()
  }

  /**
   * Ends the element at that position, and all in it. A formatting element only ends itself, and blocks in it stay
   * open.
   */
  close(position: number): void {
    const stays = this.#rules[position]?.formatting && this.#hasBlock(position + 1)
    if (stays) this.#closeOnly(position)
    else this.closeFrom(position)
  }

  /** Ends all open SVG and MathML, up to the HTML around it. */
  leaveForeign(): void {
    let at = this.#rules.length
    while (at > 1 && !holdsHtml(this.#rules[at - 1] as ElementRule)) at -= 1
    if (at < this.#rules.length) this.closeFrom(at)
  }

  /** Returns whether only elements of these names are open. */
  onlyOpen(names: ReadonlySet<string>): boolean {
    return this.#names.every(name => names.has(name))
  }

  get length(): number {
    return this.#nodes.length
  }

  #hasBlock(from: number): boolean {
    for (let at = from; at < this.#rules.length; at++) {
      if (((this.#rules[at] as ElementRule).stops & stops.special) !== 0) return true
    }
    return false
  }

  #closeOnly(position: number): void {
    const group = this.#rules[position]?.group
    if (group != null) this.#count(group, -1)
    this.#nodes.splice(position, 1)
    this.#names.splice(position, 1)
    this.#rules.splice(position, 1)
    this.#depths.splice(position, 1)
  }

  #count(group: Group, change: number): void {
    this.#groups[group] += change
  }
}
