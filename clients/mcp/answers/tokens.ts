/**
 * Estimates the tokens of a text from above, in linear time and without the tables of a tokenizer, which take 76 MB. The
 * text is cut greedily by the most common entries of a real vocabulary (o200k). A smaller vocabulary gives more tokens, so
 * the estimate holds for the real one. `tokens.test.ts` compares both, also on texts made to defeat the estimate.
 */
import vocabulary from './vocabulary.json' with { type: 'json' }

type Entries = { names: ReadonlySet<string>; longest: number }

function entriesOf(list: string): Entries {
  const names = new Set(list.split(' '))
  return { names, longest: Math.max(...[...names].map(name => name.length)) }
}

const letters = entriesOf(vocabulary.letters)
/** Words that are one token together with the space before them. */
const spaced = entriesOf(vocabulary.spaced)
const punctuation = entriesOf(vocabulary.punctuation)
/** Other characters that are one token. */
const characters = new Set(vocabulary.characters)

/** Safety factor, because a real tokenizer sometimes needs more tokens for letters than the greedy one. */
const margin = 1.08

/** In the order of the groups: letters, digits, spaces, line ends, punctuation, and any other character. */
const parts = /( ?[\p{L}\p{M}]+)|(\p{Nd}+)|( +)|([\r\n]+)|( ?[!-/:-@[-`{-~]+)|[\s\S]/gu
const spacesOfToken = 16
const lineEndsOfToken = 2
const digitsOfToken = 3

/** Returns an upper bound of the tokens of a text. */
export function tokensOf(text: string): number {
  let tokens = 0
  for (const [part, words, digits, spaces, ends, marks] of text.matchAll(parts)) {
    if (words !== undefined) tokens += tokensOfWords(words)
    else if (digits !== undefined) tokens += tokensOfDigits(digits)
    else if (spaces !== undefined) tokens += Math.ceil(spaces.length / spacesOfToken)
    else if (ends !== undefined) tokens += Math.ceil(ends.length / lineEndsOfToken)
    else if (marks !== undefined) tokens += greedy(marks.trimStart(), 0, punctuation)
    else tokens += tokensOfCharacter(part)
  }
  return Math.ceil(tokens * margin)
}

function tokensOfWords(words: string): number {
  if (!words.startsWith(' ')) return greedy(words, 0, letters)
  let end = Math.min(words.length, spaced.longest + 1)
  while (end > 1 && !spaced.names.has(words.slice(1, end))) end--
  // Every Latin letter is one token together with the space before it.
  if (end > 1) return 1 + greedy(words, end, letters)
  const first = words.charCodeAt(1) < 0x80 ? 2 : 1
  return 1 + greedy(words, first, letters)
}

/** Returns the number of entries that cover the text from `at`, each as long as possible. */
function greedy(text: string, at: number, { names, longest }: Entries): number {
  let tokens = 0
  while (at < text.length) {
    let end = Math.min(text.length, at + longest)
    while (end > at + 1 && !names.has(text.slice(at, end))) end--
    if (end > at + 1) tokens++
    else {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
      tokens += tokensOfCharacter(character)
      end = at + character.length
    }
    at = end
  }
  return tokens
}

const tokensOfDigits = (digits: string): number =>
  digits.charCodeAt(0) < 0x80 ? Math.ceil(digits.length / digitsOfToken) : Buffer.byteLength(digits)

/** A character outside of the vocabulary is at most one token per byte. */
const tokensOfCharacter = (character: string): number =>
  (character.codePointAt(0) ?? 0) < 0x80 || characters.has(character) ? 1 : Buffer.byteLength(character)
