/** The line numbers beside code, which are elements of their own in many pages. */
import { Element, type ParentNode } from 'domhandler'
import { wordsOf } from './attribute.ts'
import { isListing } from './code-text.ts'
import { hasLayout } from './layout.ts'
import { rawTextOf, shortTextOf } from './raw-text.ts'
import { tableKindOf } from './table-kind.ts'
import { walk } from './walk.ts'

const gutter =
  /^(?:hljs-ln-numbers|lnt|linenos?|lineno|line-?num(?:ber)?s?|gutter|blob-num|ln|rouge-gutter|code-line-number|codemirror-gutter-wrapper|ltx_tag_listingline)$/
const cellOfGutter = /^(?:linenos?|gutter|rouge-gutter|gl|lineno|line-numbers|crayon-nums)$/
const numbers = /^[\s\d|.:]*$/

const isNamed = (element: Element, names: RegExp): boolean =>
  element.attribs.class !== undefined && wordsOf(element, 'class').some(word => names.test(word))

/** Returns whether a cell of a table is named like the line numbers beside code, or has nothing else. */
export const isCellOfGutter = (element: Element): boolean =>
  isNamed(element, cellOfGutter) ||
  (isNamed(element, cellOfChroma) && beginsWithNumber(element)) ||
  countsLines(element)

/**
 * Returns whether a cell counts the lines of the code beside it, without a name, as Chroma writes it by default. Nothing
 * else is in the table: one with more rows has examples of input and output.
 */
function countsLines(cell: Element): boolean {
  const { parent: row } = cell
  const cells = isOnlyPre(cell) && row instanceof Element ? elementsIn(row) : []
  if (cells.length !== 2 || cells[0] !== cell || !cells.every(isOnlyPre)) return false
  if (row === null || elementsIn(row.parent).length > 1 || elementsIn(row.parent?.parent).length > 1)
    return false
  const [first, ...others] = shortTextOf(cell, maxGutter)?.trim().split(/\s+/) ?? []
  const start = Number(first)
  return (
    others.length > 0 && Number.isInteger(start) && others.every((text, n) => text === `${start + n + 1}`)
  )
}

/** Maximum characters and nodes of line numbers without a name. */
const maxGutter = 20_000

/** Returns the first elements in a node, as many as are needed here. */
function elementsIn(node: ParentNode | null | undefined): Element[] {
  if (!(node instanceof Element) || !partsOfTable.has(node.name)) return []
  return node.children.slice(0, 8).filter(child => child instanceof Element)
}

const partsOfTable: ReadonlySet<string> = new Set(['tr', 'tbody', 'table'])

/** Returns whether a cell has one `pre`, and nothing else. */
const isOnlyPre = ({ name, children }: Element): boolean =>
  name === 'td' &&
  children.length < 4 &&
  children.filter(child => child.type !== 'text' || /\S/.test(child.data)).length === 1 &&
  children.some(child => child instanceof Element && child.name === 'pre')

/** Returns whether an element is named like the line numbers beside a block of code, as those of VitePress. */
const isBeside = (element: Element): boolean =>
  element.name === 'td' ? isCellOfGutter(element) : isNamed(element, /^line-numbers-wrapper$/)

/** Chroma, which Hugo uses, gives the cell of the line numbers the same name as the cell of the code. */
const cellOfChroma = /^lntd$/

/** Returns whether the first element in `pre` and `code` of a cell is a line number. */
function beginsWithNumber(cell: Element): boolean {
  let element: Element | undefined = cell
  for (let depth = 0; depth < maxDepthOfNumber && element !== undefined; depth++) {
    element = element.children.find(child => child instanceof Element)
    if (element !== undefined && isNamed(element, gutter)) return true
  }
  return false
}

const maxDepthOfNumber = 3

/** Recognizes the line numbers within code, and in the cells beside it. */
export class LineNumbers {
  /** Elements named like a gutter without being one, and the elements in them, where no gutters are searched. */
  readonly #misnamed = new Set<ParentNode | null>()
  /** Whether the cells of a row, or of all rows of a table, may be beside code. */
  readonly #besideCode = new Map<Element, boolean>()

  /**
   * Returns whether an element contains only line numbers. It is called after the same call for its parent.
   * @param isInCode Whether the element is within code. Outside of it, only elements beside code contain line numbers.
   */
  has(element: Element, isInCode = true): boolean {
    if (this.#misnamed.has(element.parent)) this.#misnamed.add(element)
    else if (isInCode ? isNamed(element, gutter) : isBeside(element)) {
      const text = rawTextOf(element)
      // An empty cell keeps the others in their columns.
      if (
        numbers.test(text) &&
        (isInCode || (/\d/.test(text) && (element.name !== 'td' || this.#isBesideCode(element))))
      )
        return true
      this.#misnamed.add(element)
    }
    return false
  }

  /** Returns whether a cell has code beside it, or is in a table without data. Other numbers in tables are data. */
  #isBesideCode({ parent: row }: Element): boolean {
    if (!(row instanceof Element)) return true
    return this.#known(row, hasCode) || this.#isWithoutData(row)
  }

  #isWithoutData(row: Element): boolean {
    const above = [row.parent, row.parent?.parent]
    const table = above.find((node): node is Element => node instanceof Element && node.name === 'table')
    return table === undefined || this.#known(table, found => tableKindOf(found, hasLayout) !== 'data')
  }

  /** Reads each row and each table once, because many cells may be in one. */
  #known(element: Element, read: (element: Element) => boolean): boolean {
    const found = this.#besideCode.get(element) ?? read(element)
    this.#besideCode.set(element, found)
    return found
  }
}

/** Returns whether a cell of a row has code, which is not searched in the line numbers and in tables of cells. */
const hasCode = ({ children }: Element): boolean =>
  children.some(cell => cell instanceof Element && !isCellOfGutter(cell) && holdsCode(cell))

function holdsCode(cell: Element): boolean {
  let found = false
  walk(cell, {
    enter: element => {
      const { name } = element
      found ||= name === 'pre' || name === 'code' || isListing(element)
      return !found && name !== 'table'
    },
  })
  return found
}
