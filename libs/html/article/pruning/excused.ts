/** Excuses elements whose content shows that they are part of the text, unlike what their name indicates. */
import type { Element } from 'domhandler'
import { isImage } from '../../tree/image-source.ts'
import { tableKindOf } from '../../tree/table-kind.ts'
import type { BlockSum } from '../block-sum.ts'
import type { BoilerplateKind } from '../boilerplate-words.ts'
import { headings } from '../element-kinds.ts'
import type { Outline } from '../outline.ts'

/** Removes the marks of elements whose content shows that they are part of the text. */
export function excuseByContent(page: Outline, kinds: (BoilerplateKind | null)[], prose: BlockSum): void {
  const { elements, parents, ends, firstBlock, lastBlock } = page
  const images = counter(elements, isImage)
  const framed = counter(elements, ({ name }) => name === 'table' || name === 'pre')
  const heads = counter(elements, ({ name }) => name === 'th')
  const links = counter(elements, ({ name }) => name === 'a')
  const panels = counter(elements, ({ attribs }) => attribs.role === 'tabpanel')
  const isOfData = dataCells(page, heads, prose)
  for (const [at, kind] of kinds.entries()) {
    if (kind === null) continue
    const { name, attribs } = elements[at] as Element
    const end = ends[at] ?? 0
    const isSection = prose.of(at) > 0 && (lastBlock[at] ?? 0) - (firstBlock[at] ?? 0) > 1
    const isExcused =
      // an image with its caption, whose own element is marked too
      (kind === 'caption' && name !== 'figcaption' && images(at, end) > 0) ||
      (kind === 'caption' && name === 'figcaption' && isOfTable(parents[at] ?? -1)) ||
      // a table of data that is named after a shop, or after the person or place that it describes
      ((kind === 'promotion' || kind === 'author') && name === 'table' && heads(at, end) > 0) ||
      // a cell that is named after its column
      ((name === 'td' || name === 'th') && attribs.role === undefined && isOfData(at, kind)) ||
      (kind === 'navigation' && name === 'nav' && links(at, end) === 0 && prose.of(at) > 0) ||
      // an accordion with the role of tabs
      (kind === 'navigation' &&
        attribs.role === 'tablist' &&
        (panels(at, end) > 0 || accordion.test(attribs.class ?? ''))) ||
      (kind === 'policy' && isBetweenHeadings(page, at)) ||
      (kind === 'sidebar' && isSection && secondaryColor.test(attribs.class ?? ''))
    if (isExcused) kinds[at] = null
  }

  /** Returns whether a figure is a table or code. Its caption is part of the text, like the `caption` of a table. */
  function isOfTable(figure: number): boolean {
    const end = ends[figure] ?? 0
    return elements[figure]?.name === 'figure' && framed(figure, end) > 0 && images(figure, end) === 0
  }
}

/** Returns whether an element is the text of a section amid others, such as the disclaimer in terms of use. */
function isBetweenHeadings({ elements, parents, ends }: Outline, at: number): boolean {
  const before = elements[at - 1]
  const next = ends[at] ?? 0
  const isSibling = before?.parent === elements[at]?.parent && parents[next] === parents[at]
  const { name = '' } = before ?? {}
  return isSibling && headings.has(name) && name !== 'h1' && elements[next]?.name === name
}

const accordion = /(?:^|\s)(?:panel-group|accordion)(?:\s|$)/i

/**
 * Returns a test of cells: whether a cell with this kind is a value in a table of data. A table without headers may be
 * a layout. Its cells are values only if they have certain kinds, and those with prose only if the table has at most
 * half of the prose of the page.
 */
function dataCells(
  { elements, parents, ends }: Outline,
  heads: (from: number, to: number) => number,
  prose: BlockSum,
): (cell: number, kind: BoilerplateKind) => boolean {
  const known = new Map<number, boolean>()
  const isData = (table: number): boolean => {
    const found = known.get(table) ?? tableKindOf(elements[table] as Element, () => true) === 'data'
    known.set(table, found)
    return found
  }
  return (cell, kind) => {
    let table = parents[cell] ?? -1
    while (table >= 0 && elements[table]?.name !== 'table') table = parents[table] ?? -1
    if (table < 0 || !isData(table)) return false
    if (heads(table, ends[table] ?? 0) > 1) return true
    return kindsOfValues.has(kind) && (prose.of(cell) === 0 || prose.of(table) <= prose.whole / 2)
  }
}

const kindsOfValues: ReadonlySet<BoilerplateKind> = new Set(['comments', 'meta', 'author'])

/**
 * Characters of prose that a page may have besides the captions of its gallery, for example an introduction, and their
 * share of the captions in a larger gallery.
 */
const maxBesideGallery = 400
const maxShareBesideGallery = 0.25

/**
 * Removes the marks of captions with nearly all prose of the page, because they are the text of a gallery. Captions of a
 * page without prose are its text too.
 */
export function excuseCaptions(
  { elements, ends }: Outline,
  kinds: (BoilerplateKind | null)[],
  prose: BlockSum,
): void {
  const captions: number[] = []
  let [sum, until] = [0, 0]
  for (const [at, { name }] of elements.entries()) {
    if (name !== 'figcaption' || kinds[at] !== 'caption') continue
    captions.push(at)
    if (at < until) continue
    sum += prose.of(at)
    until = ends[at] ?? 0
  }
  const maxBeside = Math.max(maxBesideGallery, sum * maxShareBesideGallery)
  const isGallery = sum > prose.whole / 2 && prose.whole - sum <= maxBeside
  if (isGallery || prose.whole === 0) for (const at of captions) kinds[at] = null
}

/** A class for the color of labels, and of whole sections. */
const secondaryColor = /(?:^|\s)text-(?:[a-z]+-){0,3}(?:secondary|tertiary)(?=[\s-]|$)/

/** Returns a function that counts such elements from a position to before another. The first call reads all of them. */
export function counter(
  elements: readonly Element[],
  isCounted: (element: Element, at: number) => boolean,
): (from: number, to: number) => number {
  let sums: Uint32Array | undefined
  return (from, to) => {
    sums ??= sumsOf(elements, isCounted)
    return (sums[to] ?? 0) - (sums[from] ?? 0)
  }
}

/** Returns the number of such elements before each element, and the number of all. */
function sumsOf(
  elements: readonly Element[],
  isCounted: (element: Element, at: number) => boolean,
): Uint32Array {
  const sums = new Uint32Array(elements.length + 1)
  let sum = 0
  for (const [at, element] of elements.entries()) {
    if (isCounted(element, at)) sum += 1
    sums[at + 1] = sum
  }
  return sums
}
