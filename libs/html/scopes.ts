/**
 * The scopes that change the meaning of content: SVG, MathML, `<template>` and `<noscript>`. Only these are stored,
 * at most 512 deep, so nesting costs little.
 */

/**
 * `foreign`: SVG and MathML. `html`: an element of those that contains HTML. `inert`: a template, whose content is
 * not part of the page. `unscripted`: `<noscript>`, whose links count but whose text is not shown.
 */
export type ScopeKind = 'foreign' | 'html' | 'inert' | 'unscripted'

/** Blink's limit. Deeper content belongs to the scope around it. */
const maxDepth = 512

export class Scopes {
  /** Whether tags are read as SVG or MathML. */
  foreign = false
  /** Whether the content is not part of the page. */
  inert = false
  /** Whether the text is not shown. */
  hidden = false
  #names: string[] = []
  #kinds: ScopeKind[] = []

  enter(name: string, kind: ScopeKind): void {
    if (this.#names.length === maxDepth) return
    this.#names.push(name)
    this.#kinds.push(kind)
    this.#judge()
  }

  /** Leaves the innermost scope of that name and all within it, if there is one. */
  leave(name: string): void {
    const position = this.#names.lastIndexOf(name)
    if (position !== -1) this.#cut(position)
  }

  /** Ends SVG and MathML at an HTML element that they cannot contain, by the standard. */
  leaveForeign(): void {
    this.#cut(this.#kinds.findLastIndex(kind => kind !== 'foreign') + 1)
  }

  #cut(length: number): void {
    this.#names.length = length
    this.#kinds.length = length
    this.#judge()
  }

  #judge(): void {
    this.foreign = this.#kinds.at(-1) === 'foreign'
    this.inert = this.#kinds.includes('inert')
    this.hidden = this.inert || this.#kinds.includes('unscripted')
  }
}
