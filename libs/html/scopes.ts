/**
 * Where in the document the reader stands, as far as it changes what things mean: inside SVG or MathML, inside
 * `<template>` or `<noscript>`. Only these are kept, at most 512 deep, so no nesting can cost much.
 */

/**
 * `foreign`: SVG and MathML. `html`: an element of those that holds HTML again. `inert`: a template, whose
 * content is not part of the page. `unscripted`: `<noscript>`, whose links count but whose text is not shown.
 */
export type ScopeKind = 'foreign' | 'html' | 'inert' | 'unscripted'

/** Blink's limit. Deeper elements belong to the scope around them. */
const deepest = 512

export class Scopes {
  /** Whether tags are read as SVG or MathML. */
  foreign = false
  /** Whether nothing here is part of the page. */
  inert = false
  /** Whether the text here is not shown. */
  hidden = false
  #names: string[] = []
  #kinds: ScopeKind[] = []

  enter(name: string, kind: ScopeKind): void {
    if (this.#names.length === deepest) return
    this.#names.push(name)
    this.#kinds.push(kind)
    this.#judge()
  }

  /** Leaves the innermost scope of that name and all scopes within it. Without one, it does nothing. */
  leave(name: string): void {
    const position = this.#names.lastIndexOf(name)
    if (position !== -1) this.#cut(position)
  }

  /** An HTML element that SVG and MathML cannot hold ends them, as the standard says. */
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
