/** Formulas: the TeX that many pages include beside MathML, else the text. */
import type { Element } from 'domhandler'
import { attribute } from '../tree/attribute.ts'
import { collapse, rawTextOf } from '../tree/text-of.ts'
import { walk } from '../tree/walk.ts'
import { escapeText } from './escape.ts'

/** Returns a `math` element as Markdown, in dollar signs if it is TeX. */
export function mathOf(element: Element): string {
  const tex = collapse(annotationOf(element) ?? attribute(element, 'alttext') ?? '')
  const isDisplay = attribute(element, 'display') === 'block'
  if (tex !== '') return dollars(tex, isDisplay)
  const text = collapse(rawTextOf(element))
  return escapeText(text, { before: ' ', after: ' ', inLink: true })
}

/** Returns TeX between dollar signs. `<` is escaped, so that it cannot start a tag. */
function dollars(tex: string, isDisplay: boolean): string {
  const sign = isDisplay ? '$$' : '$'
  return sign + tex.replace(/<(?=[a-z/!?])/gi, '\\lt ') + sign
}

function annotationOf(math: Element): string | null {
  let found: string | null = null
  walk(math, {
    enter: element => {
      if (element.name === 'annotation' && /tex/i.test(attribute(element, 'encoding') ?? ''))
        found ??= rawTextOf(element)
      return found === null
    },
  })
  return found
}
