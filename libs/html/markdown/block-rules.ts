/** Rules of paragraphs, headings, quotes and other elements on separate lines. */
import type { Element } from 'domhandler'
import { attribute } from '../tree/attribute.ts'
import { languageOf } from '../tree/code-language.ts'
import { codeText } from '../tree/code-text.ts'
import { LineNumbers } from '../tree/line-numbers.ts'
import { escapeHeadingEnd } from './escape.ts'
import { block, type Rule } from './rule.ts'
import { isShown } from './shown.ts'
import type { Writer } from './writer.ts'

const plain =
  'address article aside body center details dialog div dd dl fieldset figure figcaption footer form header ' +
  'hgroup html legend main nav p search section optgroup option audio video canvas frameset'

export const blockRules: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(plain.split(' ').map(name => [name, block])),
  h1: heading,
  h2: heading,
  h3: heading,
  h4: heading,
  h5: heading,
  h6: heading,
  blockquote: quote,
  hr: rule,
  pre: code,
  listing: code,
  xmp: code,
  plaintext: code,
  dt: term,
  summary: term,
}

/** Writes a heading on one line, without emphasis of the whole. */
export function heading(writer: Writer, element: Element): boolean {
  writer.boundary()
  if (writer.isFlat) return block(writer, element)
  const level = levelOf(element)
  writer.atEnd(element, () => {
    const text = writer.taken(' ')
    if (text !== '') writer.block(`${'#'.repeat(level)} ${escapeHeadingEnd(text)}`)
  })
  writer.unmarked(element)
  writer.flatten(element, 'space')
  return true
}

function levelOf(element: Element): number {
  const level = Number(/^h([1-6])$/.exec(element.name)?.[1] ?? attribute(element, 'aria-level') ?? 2)
  return level >= 1 && level <= 6 ? Math.floor(level) : 2
}

function quote(writer: Writer, element: Element): boolean {
  if (writer.isFlat) return block(writer, element)
  writer.contain(element, { first: '> ', rest: '> ' })
  return true
}

/** Writes a rule with underscores, because `- ---` would be a rule itself. */
function rule(writer: Writer): boolean {
  writer.boundary()
  if (!writer.isFlat) writer.block(writer.lines.depth > 0 ? '___' : '---')
  return false
}

/** Writes a block of code. */
export function code(writer: Writer, element: Element): boolean {
  writer.boundary()
  const { text, fenced } = codeBlock(element, languageOf(element, writer.languages))
  if (!writer.isFlat) writer.block(fenced)
  else {
    for (const line of text.split('\n')) {
      if (line.trim() !== '') writer.inline.codeLine(line.trimEnd())
      writer.boundary()
    }
  }
  return false
}

/** Returns the visible code of an element, and the same as a fenced block with that language. */
function codeBlock(element: Element, language: string): { text: string; fenced: string } {
  const numbers = new LineNumbers()
  const text = codeText(element, inner => !isShown(inner) || inner.name === 'button' || numbers.has(inner))
  if (text === '') return { text, fenced: '' }
  const longest = (text.match(/`{3,}/g) ?? []).reduce((max, run) => Math.max(max, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return { text, fenced: `${fence}${language}\n${text}\n${fence}` }
}

/** Writes a term in bold above its definition, because Markdown has no definition lists. */
function term(writer: Writer, element: Element): boolean {
  writer.boundary()
  writer.atEnd(element, () => writer.boundary())
  if (!writer.isFlat) writer.mark(element, 'strong')
  return true
}
