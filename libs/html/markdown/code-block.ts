/** Code blocks: their text without line numbers and buttons. */
import type { Element } from 'domhandler'
import { codeText } from '../tree/code-text.ts'
import { LineNumbers } from '../tree/line-numbers.ts'
import { isShown } from './shown.ts'

/** Returns the visible code of an element, and the same as a fenced block with that language. */
export function codeBlock(element: Element, language: string): { text: string; fenced: string } {
  const numbers = new LineNumbers()
  const text = codeText(element, inner => !isShown(inner) || inner.name === 'button' || numbers.has(inner))
  if (text === '') return { text, fenced: '' }
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return { text, fenced: `${fence}${language}\n${text}\n${fence}` }
}
