/** Code blocks: their text without line numbers and buttons, and their language. */
import { Element } from 'domhandler'
import { wordsOf } from '../tree/attribute.ts'
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

const named = /^(?:language|lang|highlight-source|highlight|brush:?|sourcecode|src)[-:_]([a-z\d+#.*_-]+)$/
const unnamed = new Set(
  'default none text plain plaintext nohighlight notranslate auto source block'.split(' '),
)
const attributes = ['data-lang', 'data-language', 'data-code-language']

/**
 * Returns the language of a code block, from itself, its `code` or the elements right around it, or the empty string.
 */
export function languageOf(element: Element, known: Map<Element, string>): string {
  const inner = element.children.find(child => child instanceof Element && child.name === 'code')
  for (const candidate of [inner, element]) {
    const language = candidate instanceof Element ? statedLanguageOf(candidate) : ''
    if (language !== '') return language
  }
  for (const candidate of [element.parent, element.parent?.parent]) {
    const language = candidate instanceof Element ? languageAround(candidate, known) : ''
    if (language !== '') return language
  }
  return ''
}

/** Returns the language from the surrounding element. It is cached, because an element may contain many blocks. */
function languageAround(element: Element, known: Map<Element, string>): string {
  const language = known.get(element) ?? statedLanguageOf(element)
  known.set(element, language)
  return language
}

function statedLanguageOf(element: Element): string {
  for (const name of attributes) {
    const value = (element.attribs[name] ?? '').trim().toLowerCase()
    if (/^[a-z][a-z\d+#.*_-]{0,30}$/.test(value) && !unnamed.has(value)) return value
  }
  const words = wordsOf(element, 'class')
  for (const [at, word] of words.entries()) {
    const found =
      word === 'brush:' ? words[at + 1] : word === 'sourcecode' ? words[at + 1] : named.exec(word)?.[1]
    const language = found?.split(';', 1)[0] ?? ''
    if (language !== '' && language.length <= 31 && !unnamed.has(language)) return language
  }
  return ''
}
