/** Rules of inline elements: emphasis, code, links, images, line breaks, formulas. */
import { Element } from 'domhandler'
import { attribute } from '../tree/attribute.ts'
import { opensPanel } from '../tree/disclosure.ts'
import { formulaText, texOf } from '../tree/formula.ts'
import { hasOnlyButtons } from '../tree/heading-buttons.ts'
import { followsLabel, isSourceAbove } from '../tree/inline.ts'
import { escapeText } from './escape.ts'
import { writeImage } from './image.ts'
import { link } from './link.ts'
import type { MarkKind } from './marks.ts'
import { block, leftOut, type Rule } from './rule.ts'
import type { Writer } from './writer.ts'

export const inlineRules: Readonly<Record<string, Rule>> = {
  a: link,
  b: emphasis('strong'),
  strong: emphasis('strong'),
  i: emphasis('em'),
  em: emphasis('em'),
  cite: source,
  dfn: emphasis('em'),
  var: emphasis('em'),
  del: emphasis('del'),
  s: emphasis('del'),
  strike: emphasis('del'),
  sub: emphasis('sub'),
  sup: superscript,
  kbd: emphasis('kbd'),
  mark: emphasis('mark'),
  code,
  tt: code,
  samp: code,
  q: quotation,
  rt: reading,
  rp: leftOut,
  label,
  br: lineBreak,
  img: writeImage,
  'amp-img': writeImage,
  'amp-ad': leftOut,
  'amp-sticky-ad': leftOut,
  input: checkbox,
  button,
  svg: leftOut,
  math,
}

/** Returns a rule of emphasis. An element with blocks is not emphasis but an element without an end tag. */
function emphasis(kind: MarkKind): Rule {
  return (writer, element) => {
    if (!holdsBlocks(element)) writer.mark(element, kind)
    return true
  }
}

/** Writes the source of a quote above its text as a paragraph of its own. */
function source(writer: Writer, element: Element): boolean {
  if (isSourceAbove(element) && !writer.isFlat) block(writer, element)
  return emphasis('em')(writer, element)
}

const blocks = new Set('p div ul ol dl table pre blockquote section article h1 h2 h3 h4 h5 h6 hr'.split(' '))
const holdsBlocks = ({ children }: Element): boolean =>
  children.some(child => child instanceof Element && blocks.has(child.name))

function superscript(writer: Writer, element: Element): boolean {
  const label = writer.referenceOf(element)
  if (label === undefined) return emphasis('sup')(writer, element)
  writer.inline.atom(`[^${label}]`)
  return false
}

function code(writer: Writer, element: Element): boolean {
  if (holdsBlocks(element)) return true
  writer.inline.beginCode()
  writer.atEnd(element, () => writer.inline.endCode())
  return true
}

function quotation(writer: Writer, element: Element): boolean {
  writer.inline.text('“')
  writer.atEnd(element, () => writer.inline.text('”'))
  return true
}

/** Writes the reading of a character in brackets after it. */
function reading(writer: Writer, element: Element): boolean {
  writer.inline.text('(')
  writer.atEnd(element, () => writer.inline.text(')'))
  return true
}

/** Writes a label, which begins a word of its own beside another label. */
function label(writer: Writer, element: Element): boolean {
  if (followsLabel(element)) writer.inline.gap('space')
  return true
}

/** Writes a line break. Two in a row end the paragraph. */
function lineBreak(writer: Writer): boolean {
  writer.inline.break()
  if (writer.inline.endsParagraph && !writer.isFlat) writer.boundary()
  return false
}

/** Writes the checkbox of a task list. Other controls are left out. */
function checkbox(writer: Writer, element: Element): boolean {
  const isTask = attribute(element, 'type')?.toLowerCase() === 'checkbox' && writer.lists.length > 0
  if (isTask && writer.inline.isEmpty && !writer.isFlat) {
    writer.inline.atom('checked' in element.attribs ? '[x]' : '[ ]')
    writer.inline.gap('space')
  }
  return false
}

/** Writes a button that is the whole text of a heading, or right above its panel: it expands the content below. */
function button(writer: Writer, element: Element): boolean {
  const { parent } = element
  if (parent instanceof Element && /^(?:h[1-6]|dt)$/.test(parent.name)) return hasOnlyButtons(parent)
  if (!opensPanel(element)) return false
  writer.boundary()
  return true
}

function math(writer: Writer, element: Element): boolean {
  const formula = mathOf(element)
  if (formula !== '') writer.inline.atom(formula)
  return false
}

/** Returns a `math` element as Markdown: TeX in dollar signs, two of them for a formula on its own line, else text. */
function mathOf(element: Element): string {
  const tex = texOf(element)
  if (tex === '') return escapeText(formulaText(element), { before: ' ', after: ' ', inLink: true })
  const sign = attribute(element, 'display') === 'block' ? '$$' : '$'
  return sign + withoutTags(tex) + sign
}

/** Escapes `<`, so that it cannot start a tag. */
const withoutTags = (tex: string): string => tex.replace(/<(?=[a-z/!?])/gi, '\\lt ')
