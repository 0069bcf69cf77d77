/**
 * A page's elements in one list, in the order of the page, each with its parent and its end. Every syntax is read
 * with simple loops: the descendants of an element are a range, and nesting costs nothing. The content of `template`
 * is not part of the page, but a shadow root is.
 */
import type { Document, Element } from 'domhandler'
import { baseOf } from '../tree/base-of.ts'
import { walk } from '../tree/walk.ts'

/** Maximum characters of a base. A longer one would be copied into every address of the page. */
const maxBaseLength = 2048

export class Outline {
  readonly document: Document
  readonly elements: Element[] = []
  /** Position of the parent, or -1. */
  readonly parents: number[] = []
  /** Position after the last descendant. */
  readonly ends: number[] = []
  /** Base of addresses. */
  readonly base: string
  #ids: Map<string, number> | null = null

  constructor(document: Document, url: string) {
    this.document = document
    let open = -1
    walk(document, {
      enter: element => {
        if (isOutside(element)) return false
        this.parents.push(open)
        this.ends.push(0)
        open = this.elements.push(element) - 1
        return true
      },
      leave: () => {
        this.ends[open] = this.elements.length
        open = this.parents[open] ?? -1
      },
    })
    const base = baseOf(document, url)
    this.base = base.length > maxBaseLength ? url : base
  }

  /** Returns the absolute address, or the unchanged address if it cannot be resolved. */
  resolve(address: string): string {
    return URL.parse(address, this.base)?.href ?? address
  }

  element(position: number): Element {
    return this.elements[position] as Element
  }

  /** Position after the last descendant. */
  end(position: number): number {
    return this.ends[position] as number
  }

  /** Returns the first element with that id, or -1. */
  byId(id: string): number {
    this.#ids ??= idsOf(this.elements)
    return this.#ids.get(id) ?? -1
  }

  /** Yields the children of an element, or of the document (-1). */
  *children(position: number): Generator<number> {
    const end = position === -1 ? this.elements.length : this.end(position)
    for (let at = position + 1; at < end; at = this.end(at)) yield at
  }
}

/** Returns whether an element and its content are not part of the page. */
export const isOutside = ({ name, attribs }: Element): boolean =>
  name === 'template' && attribs.shadowrootmode === undefined

function idsOf(elements: readonly Element[]): Map<string, number> {
  const ids = new Map<string, number>()
  for (const [position, { attribs }] of elements.entries()) {
    const id = attribs.id
    if (id !== undefined && !ids.has(id)) ids.set(id, position)
  }
  return ids
}

/** Returns the index of the first of ascending positions that is at or after `from`. */
export function firstFrom(positions: readonly number[], from: number): number {
  let [low, high] = [0, positions.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((positions[middle] as number) < from) low = middle + 1
    else high = middle
  }
  return low
}
