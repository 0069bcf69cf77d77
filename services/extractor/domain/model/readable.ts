/**
 * The text of a page as a model receives it. Values of the model are accepted only if they are in this text, so text
 * that is left out here can neither instruct the model nor support a value.
 */

export type Readable = {
  /** Lines, each without white space at its ends. Tabs separate cells. */
  text: string
  /** Number of lines that were left out because they address a language model. */
  leftOut: number
  isCut: boolean
}

/** Lines after an instruction that are left out with it, because they often have its value. */
const linesAfter = 2

/**
 * Returns a filter for the lines of a text in their order. It rejects lines that address a language model, and the two
 * lines after each.
 */
export function readableFilter(): (line: string) => boolean {
  let skipped = 0
  return line => {
    if (addressesModel(line)) skipped = linesAfter + 1
    if (skipped === 0) return true
    skipped -= 1
    return false
  }
}

/** @param maxCharacters the text is cut after the last whole line within it */
export function readableText(pageText: string, maxCharacters: number): Readable {
  const kept: string[] = []
  const isReadable = readableFilter()
  let [length, leftOut] = [0, 0]
  for (const raw of pageText.split('\n')) {
    const line = raw
      .replace(/[^\S\t]+/g, ' ')
      .replace(/ *\t */g, '\t')
      .trim()
    if (line === '') continue
    if (!isReadable(line)) {
      leftOut += 1
      continue
    }
    const rest = maxCharacters - length
    if (line.length + 1 > rest) {
      // A page may be one line.
      if (kept.length === 0) kept.push(line.slice(0, Math.max(0, rest)).toWellFormed())
      return { text: kept.join('\n'), leftOut, isCut: true }
    }
    kept.push(line)
    length += line.length + 1
  }
  return { text: kept.join('\n'), leftOut, isCut: false }
}

const orders =
  '(?:ignore|disregard|forget|override|bypass|ignoriere?n?|vergiss|vergessen|ignorez|oubliez|ignora|olvida|ignori|dimentica)'
const targets =
  '(?:instructions?|prompts?|directions?|guidelines|anweisung(?:en)?|consignes?|instrucciones|istruzioni|instruções)'
const models =
  '(?:language models?|llms?|ai (?:assistants?|agents?|models?)|chat ?bots?|chatgpt|gpt-?\\d*|claude|gemini)'

const addresses = [
  new RegExp(`\\b${orders}\\b.{0,80}\\b${targets}\\b`, 'iu'),
  new RegExp(`\\b(?:new|real|hidden|secret|system|developer)\\s+(?:system\\s+)?${targets}\\b`, 'iu'),
  new RegExp(`\\b(?:you are|as|dear|attention|note to|if you are) (?:an? |the |all )?${models}\\b`, 'iu'),
  new RegExp(`\\b${models}\\b.{0,60}\\b(?:must|should|shall|please|answer|respond|reply|output)\\b`, 'iu'),
  /^\s*(?:system|assistant|developer)\s*:/iu,
  /\b(?:answer|respond|reply|output)\b.{0,30}\b(?:with|in|as|only)\b.{0,30}\b(?:json|the value|exactly)\b/iu,
  /<\|?\/?(?:system|assistant|user|im_start|im_end|endoftext)\b[^>]*>|\[\/?INST\]|<\/?page-/iu,
]

/** Patterns are applied to the beginning of a line, because a line may be a whole page. */
const judged = 2_000

/** Returns whether a line reads like an instruction to a language model instead of text for readers. */
function addressesModel(line: string): boolean {
  if (line.length <= judged) return addresses.some(pattern => pattern.test(line))
  for (let at = 0; at < line.length; at += judged / 2) {
    const part = line.slice(at, at + judged)
    if (addresses.some(pattern => pattern.test(part))) return true
  }
  return false
}
