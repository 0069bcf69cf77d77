/** The estimate of tokens against two real tokenizers, on texts of all kinds and on texts made to defeat it. */
import { readFileSync } from 'node:fs'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { encode as encodeOlder } from 'gpt-tokenizer/encoding/cl100k_base'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { test } from 'tap'
import { vocabulary } from '../../../test/vocabulary.ts'
import { tokensOf } from './tokens.ts'
import stored from './vocabulary.json' with { type: 'json' }

/** Special tokens are text like any other here. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }
const real = (text: string) => encode(text, asText).length
const older = (text: string) => encodeOlder(text, asText).length

const readable = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

test('The vocabulary is the one that its program writes', async t => {
  t.strictSame(stored, vocabulary())
})

test('The estimate is close to the real number for documents and code', async t => {
  for (const path of ['docs/api/crawl.md', 'docs/architecture.md', 'CHANGELOG.md', 'test/structure.ts']) {
    const text = readable(path).slice(0, 60_000)
    const [estimate, tokens] = [tokensOf(text), Math.max(real(text), older(text))]
    t.comment(`${path}: ${estimate} for ${tokens} tokens, ${(estimate / tokens).toFixed(2)}`)
    t.ok(estimate >= tokens, `${path} has no more tokens than estimated`)
    t.ok(estimate <= tokens * 1.6, `${path} is estimated at no more than 1.6 times its tokens`)
  }
})

const languages = [
  'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt.',
  'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison.',
  'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.',
  'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。',
  '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。',
  'يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً',
  'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।',
  '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.',
  'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ',
  'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.',
]

test('The estimate holds for other languages', async t => {
  for (const text of languages) {
    const [estimate, tokens] = [tokensOf(text), real(text)]
    t.comment(`${text.slice(0, 20)}: ${estimate} for ${tokens}`)
    t.ok(estimate >= tokens, text)
  }
})

const known = stored.letters.split(' ')
const ranges = (...ends: [number, number][]) =>
  fc.oneof(...ends.map(([min, max]) => fc.integer({ min, max }))).map(point => String.fromCodePoint(point))
const texts = (unit: fc.Arbitrary<string>) => fc.string({ unit, minLength: 200, maxLength: 800 })

const hostile: Record<string, fc.Arbitrary<string>> = {
  'random letters': texts(ranges([0x61, 0x7a])),
  'random letters of both cases': texts(ranges([0x61, 0x7a], [0x41, 0x5a])),
  'short random words': texts(fc.oneof(ranges([0x61, 0x7a]), ranges([0x61, 0x7a]), fc.constant(' '))),
  capitals: texts(ranges([0x41, 0x5a])),
  digits: texts(ranges([0x30, 0x39])),
  'digits and letters': texts(ranges([0x30, 0x39], [0x61, 0x66])),
  punctuation: texts(ranges([0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e])),
  ASCII: texts(ranges([0x20, 0x7e])),
  'white space': texts(fc.constantFrom(' ', '  ', '\n', '\t', '\r\n', '\u00a0', 'a')),
  'entries of the vocabulary without spaces': texts(fc.constantFrom(...known)),
  'entries behind punctuation': texts(
    fc.tuple(ranges([0x21, 0x2f]), fc.constantFrom(...known)).map(both => both.join('')),
  ),
  'capitalized entries': texts(
    fc.constantFrom(...known).map(word => word.slice(0, 1).toUpperCase() + word.slice(1)),
  ),
  'Latin letters with marks': texts(ranges([0xc0, 0x24f])),
  'Greek and Cyrillic letters': texts(ranges([0x391, 0x3c9], [0x410, 0x44f])),
  'Arabic and Devanagari letters': texts(ranges([0x621, 0x64a], [0x905, 0x939])),
  'Chinese characters': texts(ranges([0x4e00, 0x9fff])),
  'Korean syllables': texts(ranges([0xac00, 0xd7a3])),
  'any characters': texts(ranges([0x80, 0xd7ff])),
  pictures: texts(ranges([0x1f300, 0x1f6ff])),
  'combining marks': texts(fc.oneof(ranges([0x300, 0x36f]), ranges([0x61, 0x7a]))),
}

test('The estimate holds for texts that are made to defeat it', async t => {
  for (const [name, arbitrary] of Object.entries(hostile)) {
    let lowest = Number.POSITIVE_INFINITY
    fc.assert(
      fc.property(arbitrary, text => {
        const [estimate, tokens] = [tokensOf(text), real(text)]
        lowest = Math.min(lowest, estimate / tokens)
        return estimate >= tokens
      }),
      { numRuns: sized(30, 1000) },
    )
    t.pass(`${name}: at least ${lowest.toFixed(2)} times the tokens`)
  }
})

test('Ten megabytes without a space are estimated in linear time', async t => {
  const before = process.cpuUsage()
  t.ok(tokensOf('a'.repeat(10_000_000)) > 800_000)
  const { user } = process.cpuUsage(before)
  t.ok(user < patient(10_000_000), `${user} µs`)
})
