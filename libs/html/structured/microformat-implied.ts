/** Implied name, photo and address of a microformat: "microformats2 parsing", implied properties. */
import type { Element } from 'domhandler'
import type { PlainValue, Values } from './microformat-values.ts'
import type { Outline } from './outline.ts'

/** An element and the attribute that it must have. */
type Sign = readonly [element: string, attribute: string]

const nameSigns: readonly Sign[] = [
  ['img', 'alt'],
  ['area', 'alt'],
  ['abbr', 'title'],
]
const photoSigns: readonly Sign[] = [
  ['img', 'src'],
  ['object', 'data'],
]
const addressSigns: readonly Sign[] = [
  ['a', 'href'],
  ['area', 'href'],
]

export class Implied {
  readonly #outline: Outline
  readonly #values: Values
  readonly #isRoot: (position: number) => boolean

  constructor(outline: Outline, values: Values, isRoot: (position: number) => boolean) {
    this.#outline = outline
    this.#values = values
    this.#isRoot = isRoot
  }

  name(root: number): string {
    const own = signIn(nameSigns, this.#outline.element(root))
    if (own !== null) return own.trim()
    const child = this.#onlyChild(root)
    const grandchild = child === null || this.#isRoot(child) ? null : this.#onlyChild(child)
    for (const position of [child, grandchild]) {
      if (position === null || this.#isRoot(position)) continue
      const stated = signIn(nameSigns, this.#outline.element(position))
      if (stated !== null && stated !== '') return stated.trim()
    }
    return this.#values.text(root)
  }

  photo(root: number): PlainValue | null {
    const position = this.#bearer(root, photoSigns)
    if (position === null) return null
    return this.#values.picture(position, this.#outline.element(position).name === 'img' ? 'src' : 'data')
  }

  address(root: number): string | null {
    const position = this.#bearer(root, addressSigns)
    return position === null
      ? null
      : this.#outline.resolve(this.#outline.element(position).attribs.href ?? '')
  }

  /** Returns the element itself, or the only one of its kind among its children, or among those of its only child. */
  #bearer(root: number, signs: readonly Sign[]): number | null {
    if (signIn(signs, this.#outline.element(root)) !== null) return root
    const child = this.#onlyChild(root)
    const inner = child === null || this.#isRoot(child) ? [root] : [root, child]
    for (const parent of inner) {
      for (const sign of signs) {
        const position = this.#onlyOfItsKind(parent, sign)
        if (position !== null) return position
      }
    }
    return null
  }

  #onlyChild(parent: number): number | null {
    const first = parent + 1
    return first < this.#outline.end(parent) && this.#outline.end(first) === this.#outline.end(parent)
      ? first
      : null
  }

  #onlyOfItsKind(parent: number, [name, attribute]: Sign): number | null {
    let only: number | null = null
    for (const child of this.#outline.children(parent)) {
      if (this.#outline.element(child).name !== name) continue
      if (only !== null) return null
      only = child
    }
    const counts =
      only !== null && this.#outline.element(only).attribs[attribute] !== undefined && !this.#isRoot(only)
    return counts ? only : null
  }
}

function signIn(signs: readonly Sign[], { name, attribs }: Element): string | null {
  const attribute = signs.find(([element]) => element === name)?.[1]
  return attribute === undefined ? null : (attribs[attribute] ?? null)
}
