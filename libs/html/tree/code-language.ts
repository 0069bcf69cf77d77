/** The programming language of code, by the names that highlighters and publishing systems give it. */
import { Element } from 'domhandler'
import { wordsOf } from './attribute.ts'
import { isCellOfGutter } from './line-numbers.ts'

const named =
  /^(?:language|lang|ltx_lst_language|mw-highlight-lang|highlight-source|highlight|brush:?|sourcecode|src)[-:_]([a-z\d+#.*_-]+)$/
const unnamed = new Set(
  'default none text plain plaintext nohighlight notranslate auto source block'.split(' '),
)
const attributes = ['data-lang', 'data-language', 'data-code-language']

/**
 * Returns the language of a code block, from itself, its `code` or the elements right around it, or the empty string.
 * A table that only has the line numbers and the code is around it too.
 * @param known Languages of the elements around the blocks of a page, because many blocks may be in one of them.
 */
export function languageOf(element: Element, known: Map<Element, string>): string {
  for (const candidate of [codeIn(element), element]) {
    const language = candidate === undefined ? '' : statedLanguageOf(candidate)
    if (language !== '') return language
  }
  const around = twoAround(element)
  const cell = around.find(({ name }) => name === 'td')
  const table = cell === undefined ? null : codeTableOf(cell)
  if (table !== null) around.push(table, ...twoAround(table))
  for (const candidate of around) {
    const language = known.get(candidate) ?? statedLanguageOf(candidate)
    known.set(candidate, language)
    if (language !== '') return language
  }
  return ''
}

/** Returns the `code` that a code block has as its child. */
export const codeIn = ({ children }: Element): Element | undefined =>
  children.find((child): child is Element => child instanceof Element && child.name === 'code')

const twoAround = ({ parent }: Element): Element[] =>
  [parent, parent?.parent].filter((node): node is Element => node instanceof Element)

/** Returns the table of a cell, if it has the line numbers beside it. */
function codeTableOf({ parent }: Element): Element | null {
  const first = parent?.children.find(child => child instanceof Element)
  if (!(first instanceof Element) || !isCellOfGutter(first)) return null
  const above = [parent?.parent, parent?.parent?.parent]
  return above.find((node): node is Element => node instanceof Element && node.name === 'table') ?? null
}

/** Returns the language that the attributes of an element state, or the empty string. */
export function statedLanguageOf(element: Element): string {
  for (const name of attributes) {
    const value = (element.attribs[name] ?? '').trim().toLowerCase()
    if (/^[a-z]/.test(value) && isLanguage(value)) return value
  }
  const ofConfluence =
    /\bbrush:\s*([^\s;]+)/.exec(element.attribs['data-syntaxhighlighter-params'] ?? '')?.[1] ?? ''
  if (isLanguage(ofConfluence)) return ofConfluence
  const { lang = '' } = element.attribs
  if (element.name === 'pre' && longName.test(lang) && isLanguage(lang)) return lang
  const words = wordsOf(element, 'class')
  for (const at of words.keys()) {
    const language = classified(element, words, at)?.split(';', 1)[0] ?? ''
    if (isLanguage(language)) return language
  }
  return ''
}

/** A name in `lang`, as GitHub and PyPI write it. Codes of human languages are shorter or have a hyphen. */
const longName = /^[a-z][a-z\d]{3,}$/

const isLanguage = (name: string): boolean => /^[a-z\d+#.*_-]{1,31}$/.test(name) && !unnamed.has(name)

/** Returns the language that a word of the class states, possibly by the next word. */
function classified({ name }: Element, words: readonly string[], at: number): string | undefined {
  const word = words[at] ?? ''
  if (word === 'brush:' || word === 'sourcecode') return words[at + 1]
  if (word === 'rust-example-rendered' || (word === 'item-decl' && words[0] === 'rust')) return 'rust' // rustdoc
  if (at === 1 && words[0] === 'highlight') {
    if (word.startsWith('hl-')) return word.slice(3) // nbconvert
    if (name === 'figure' && words.length === 2) return word // Hexo
  }
  return named.exec(word)?.[1]
}
