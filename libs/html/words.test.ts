/** Words in scripts with and without spaces between them. Their number does not depend on the pieces of a text. */

import { codePoint } from '@tidemark/testing/code-point'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { CollapsedText } from './collapsed-text.ts'
import { read } from './html.examples.ts'
import { countWords } from './words.ts'

const counted: readonly [text: string, words: number, why: string][] = [
  ['', 0, 'nothing'],
  ['The tide comes twice.', 4, 'separated by spaces'],
  ["It's 3.14 km to Saint-Malo, and/or U.S. waters", 8, 'marks within a word do not split it'],
  ['Home | News — & » … 😀 * A', 3, 'texts without a letter or digit are not words'],
  ['(one) “two” ¿tres? #4', 4, 'marks around a word belong to it'],
  ['한국어는 대한민국의 공용어이다', 3, 'Korean has spaces'],
  ['नमस्ते दुनिया', 2, 'vowel signs belong to a word'],
  ['潮汐每天来两次', 4, 'two Chinese characters to a word, a part of a word counts as one'],
  ['潮汐，每天来。（两次！）', 4, 'its marks are not words'],
  ['“潮汐” (每天) 来两次…', 4, 'nor are other marks next to it'],
  ['潮の満ち引きはカタカナ、々ー', 7, 'kana and signs of repetition count in the same way'],
  ['ｶﾀｶﾅ', 2, 'also halfwidth characters'],
  ['𠀀𠀁𠀂𠀃', 2, 'also rare characters of two units'],
  ['น้ำขึ้นวันละสองครั้ง', 5, 'four characters of Thai to a word, its signs included'],
  ['ນ້ໍາຂຶ້ນ ទឹកឡើង ရေတက်', 5, 'Lao, Khmer and Burmese'],
  ['Tidemark每天读2026年的NASA数据', 7, 'Latin words and digits stand for themselves among them'],
]

test('Words are counted', async t => {
  for (const [text, words, why] of counted) {
    t.equal(countWords(text), words, why)
    t.equal(read(`<p>${text}</p>`).text.words, words, 'also by a crawl')
  }
  t.equal(read('<p>潮</p><p>汐</p>').text.words, 1, 'halves of words are counted together')
  t.equal(read('<p>潮汐<b>tide</b>s<p>tide').text.words, 3)
})

const piece = fc.oneof(
  fc.constantFrom(...counted.map(([text]) => text)),
  fc.constantFrom(' ', '\u3000', '\u0085', '-', '，', 'a', '7', '潮', 'น้', '😀', '𠀀', '\ud83d', '\udc00'),
  fc.string({ unit: codePoint, maxLength: 8 }),
)
const texts = fc.array(piece, { maxLength: 30 }).map(pieces => pieces.join(''))

test('The number of words is the same', async t => {
  const whole = fc.property(texts, text => {
    const collapsed = new CollapsedText(64)
    collapsed.reset(() => {})
    collapsed.addString(text)
    return collapsed.words === countWords(text)
  })
  t.doesNotThrow(() => fc.assert(whole, { numRuns: sized(600, 2000) }), 'for every counter')

  const cut = fc.property(texts, fc.array(fc.nat(400), { maxLength: 10 }), (text, cuts) => {
    const collapsed = new CollapsedText(64)
    collapsed.reset(() => {})
    let from = 0
    for (const to of [...cuts.sort((one, other) => one - other), text.length]) {
      collapsed.addString(text.slice(from, to))
      from = to
    }
    return collapsed.words === countWords(text)
  })
  t.doesNotThrow(() => fc.assert(cut, { numRuns: sized(600, 2000) }), 'for any pieces of the text')
})
