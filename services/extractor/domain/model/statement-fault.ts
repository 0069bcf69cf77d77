/**
 * Checks a sentence of a model about changed lines. It may name only numbers, names and addresses that the lines have,
 * and a number that changes must do so in the stated direction.
 */
import { numberIn } from '../extract/convert.ts'
import type { ChangedLine } from './changed-lines.ts'
import { createPageSearch, type PageSearch } from './find-value.ts'

const figure = /\p{Nd}(?:[\p{Nd}.,'’]*\p{Nd})?/gu
/** Matches other number characters, such as ½, ² and Ⅻ. Each of them is a number by itself. */
const otherNumber = /[\p{Nl}\p{No}]/gu
const address = /\b(?:https?:\/\/|www\.)[^\s"'<>]+|[\w.+-]+@[\w-]+\.[\w.-]+/gi
const wordsOfNumbers =
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|half|halved|quarter|third|double|doubled|triple|tripled|twice|thrice|zero|percent)\b|%/gi
/** Matches a name: within a sentence, a capital letter begins a name. */
const name = /(?<=[\p{L}\p{N},;)] )\p{Lu}[\p{L}\p{N}’'-]*/gu

/** Returns the fault as the end of a sentence that begins "the model …". Null: the lines support the whole text. */
export function statementFault(text: string, lines: readonly ChangedLine[]): string | null {
  const search = createPageSearch(lines.map(line => line.text).join('\n'))
  const pages = createPageSearch([...new Set(lines.map(({ url }) => url))].join('\n'))
  for (const [named] of text.matchAll(address))
    if (!isIn(named.replace(/[.,;:)]+$/, ''), search, pages)) return unknown(named)
  const rest = text.replace(address, ' ')
  for (const [named] of rest.matchAll(figure)) if (!hasNumber(search, named)) return unknown(named)
  for (const pattern of [otherNumber, wordsOfNumbers, name])
    for (const [named] of rest.matchAll(pattern)) if (!isIn(named, search, pages)) return unknown(named)
  return rest.split(/(?<=[.!?])\s+/).some(sentence => isReversed(sentence, lines))
    ? 'named a change of a number that the changed lines do not have'
    : null
}

const unknown = (named: string) => `named ${named.slice(0, 50).toWellFormed()}, which no changed line has`

/** The character `%` is not a word, so it is searched as it is. */
const isIn = (named: string, ...searches: PageSearch[]): boolean =>
  searches.some(search => (named === '%' ? search.has(named) : search.text(named) !== null))

function hasNumber(search: PageSearch, named: string): boolean {
  if (search.text(named) !== null) return true
  const number = numberIn(named)
  return number !== undefined && search.number(number) !== null
}

const step = /\bfrom\s+\D{0,8}?(\d[\d.,'’]*\d|\d)\D{0,30}?\bto\s+\D{0,8}?(\d[\d.,'’]*\d|\d)/gi
const down =
  /\b(?:fell|falls?|fallen|dropp?(?:s|ed)?|decreas\w*|reduc\w*|lower\w*|cheaper|declin\w*|less|fewer)\b/i
const up = /\b(?:rose|rises?|risen|increas\w*|rais\w*|higher|gr[eo]wn?|climb\w*|dearer|more)\b/i

/** Returns whether a sentence such as "fell from 5 to 4" is not what the removed and added lines state. */
function isReversed(sentence: string, lines: readonly ChangedLine[]): boolean {
  const textOf = (change: ChangedLine['change']) =>
    createPageSearch(lines.flatMap(line => (line.change === change ? [line.text] : [])).join('\n'))
  for (const [, from = '', to = ''] of sentence.matchAll(step)) {
    if (!hasNumber(textOf('removed'), from) || !hasNumber(textOf('added'), to)) return true
    const [before, after] = [numberIn(from), numberIn(to)]
    if (before === undefined || after === undefined) continue
    const [isDown, isUp] = [down.test(sentence), up.test(sentence)]
    if ((isDown && !isUp && after >= before) || (isUp && !isDown && after <= before)) return true
  }
  return false
}
