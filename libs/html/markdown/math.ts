/** Formulas as Markdown. */
import type { Element } from 'domhandler'
import { attribute } from '../tree/attribute.ts'
import { formulaText, texOf } from '../tree/formula.ts'
import { escapeText } from './escape.ts'

/** Returns a `math` element as Markdown: TeX in dollar signs, two of them for a formula on its own line, else text. */
export function mathOf(element: Element): string {
  const tex = texOf(element)
  if (tex === '') return escapeText(formulaText(element), { before: ' ', after: ' ', inLink: true })
  const sign = attribute(element, 'display') === 'block' ? '$$' : '$'
  return sign + withoutTags(tex) + sign
}

/** Escapes `<`, so that it cannot start a tag. */
const withoutTags = (tex: string): string => tex.replace(/<(?=[a-z/!?])/gi, '\\lt ')
