/** Rules of lists and their items. */
import { Element } from 'domhandler'
import { attribute } from '../tree/attribute.ts'
import { walk } from '../tree/walk.ts'
import { block, type Rule } from './rule.ts'
import { isShown } from './shown.ts'
import type { ListState, Writer } from './writer.ts'

export const listRules: Readonly<Record<string, Rule>> = {
  ul: list,
  ol: list,
  menu: list,
  dir: list,
  li: item,
}

const lists = new Set(['ul', 'ol', 'menu', 'dir'])

function list(writer: Writer, element: Element): boolean {
  if (writer.isFlat) return block(writer, element)
  const around = writer.lists.at(-1)
  if (around !== undefined && around.element === element.parent) continueItem(writer, element, around)
  writer.boundary()
  const state: ListState = {
    element,
    isTight: !isLoose(element),
    sign: signOf(writer, element.name === 'ol'),
    number: firstNumber(element),
    step: isReversed(element) ? -1 : 1,
    width: 2,
    items: 0,
    hasContent: false,
  }
  writer.lists.push(state)
  writer.atEnd(element, () => {
    writer.boundary()
    writer.lists.pop()
    writer.lastList = { blocks: writer.lines.blocks, depth: writer.lines.depth, sign: state.sign }
  })
  return true
}

/** Continues a list inside a list without an item: the inner list belongs to the previous item, or is an item. */
function continueItem(writer: Writer, element: Element, list: ListState): void {
  if (list.items === 0) {
    begin(writer, element, list)
    return
  }
  const indent = ' '.repeat(list.width)
  writer.contain(element, { first: indent, rest: indent })
  if (list.isTight) writer.lines.tighten()
}

/** Returns the sign of a list. It alternates, because two lists in a row would otherwise merge. */
function signOf({ lastList, lines }: Writer, isOrdered: boolean): string {
  const [usual, other] = isOrdered ? ['.', ')'] : ['-', '*']
  const follows = lastList?.blocks === lines.blocks && lastList.depth === lines.depth && lines.blocks > 0
  return (follows && lastList.sign === usual ? other : usual) as string
}

/** CommonMark allows at most nine digits and no negative numbers. */
const maxNumber = 999_999_999

const isReversed = (element: Element): boolean =>
  element.name === 'ol' && attribute(element, 'reversed') !== null

/** Returns the first number. A reversed list without one counts its items down to 1 (WHATWG HTML, 4.4.5). */
function firstNumber(element: Element): number {
  const start = numberOf(element, 'start')
  return start ?? (isReversed(element) ? Math.max(itemsOf(element), 1) : 1)
}

/** Returns the number of items that are shown. They may be deeper inside, but not in an inner list. */
function itemsOf(list: Element): number {
  let items = 0
  walk(list, {
    enter: element => {
      if (lists.has(element.name) || !isShown(element)) return false
      if (element.name === 'li') items += 1
      return true
    },
  })
  return items
}

/** Returns the number in an attribute, or null for none that CommonMark allows. */
function numberOf(element: Element, name: string): number | null {
  const number = Number.parseInt(attribute(element, name) ?? '', 10)
  return number >= 0 && number <= maxNumber ? number : null
}

/** Returns whether a list is loose: empty lines separate the paragraphs of its items (CommonMark, 5.3). */
const isLoose = ({ children }: Element): boolean =>
  children.some(
    child =>
      child instanceof Element &&
      child.name === 'li' &&
      child.children.some(inner => inner instanceof Element && inner.name === 'p'),
  )

function item(writer: Writer, element: Element): boolean {
  const note = writer.footnotes?.notes.has(element) === true
  if (writer.isFlat) return flatItem(writer, element)
  if (note) return true
  const list = writer.lists.at(-1)
  if (list === undefined) writer.contain(element, { first: '- ', rest: '  ' })
  else begin(writer, element, list)
  return true
}

function begin(writer: Writer, element: Element, list: ListState): void {
  const isOrdered = list.sign === '.' || list.sign === ')'
  const jumps = isOrdered && jump(element, list)
  const first = isOrdered ? `${list.number}${list.sign} ` : `${list.sign} `
  writer.boundary()
  const { blocks } = writer.lines
  writer.atEnd(element, () => {
    if (writer.lines.blocks > blocks) list.hasContent = true
  })
  writer.contain(element, { first, rest: ' '.repeat(first.length) })
  if (list.isTight && !jumps && (list.hasContent || mayInterrupt(writer, list))) writer.lines.tighten()
  list.number = Math.min(Math.max(list.number + list.step, 0), maxNumber)
  list.items += 1
  list.width = first.length
}

/**
 * Applies the number that an item states. Returns whether the item begins another list, because only the first number
 * of a list counts in Markdown.
 */
function jump(element: Element, list: ListState): boolean {
  const number = element.name === 'li' ? (numberOf(element, 'value') ?? list.number) : list.number
  const jumps = number !== list.number && list.items > 0
  if (jumps) list.sign = list.sign === '.' ? ')' : '.'
  list.number = number
  return jumps
}

/** Returns whether a list may follow its item's text without an empty line, which requires that it starts with 1. */
function mayInterrupt(writer: Writer, list: ListState): boolean {
  const around = writer.lists.at(-2)
  const { lastList, lines } = writer
  if (lastList !== null && lastList.blocks === lines.blocks) return false
  return around?.isTight === true && (list.sign === '-' || list.sign === '*' || list.number === 1)
}

function flatItem(writer: Writer, element: Element): boolean {
  block(writer, element)
  writer.inline.itemMark(element.parent instanceof Element && lists.has(element.parent.name) ? '-' : '')
  writer.atEnd(element, () => writer.inline.endItem())
  return true
}
