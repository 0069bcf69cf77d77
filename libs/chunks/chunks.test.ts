/** Chunks of Markdown: together they are the text, none exceeds the limit, and blocks stay whole. */

import { codePoint } from '@tidemark/testing/code-point'
import { heapGrowth } from '@tidemark/testing/heap-growth'
import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { countTokens as countedByLibrary } from 'gpt-tokenizer/encoding/o200k_base'
import { test } from 'tap'
import { titleOf } from './blocks.ts'
import { type Chunk, type ChunkOptions, chunksOf, maxChunks } from './chunks.ts'
import { countTokens } from './o200k.ts'

const counted = (text: string): number => countedByLibrary(text, { disallowedSpecial: new Set() })
const split = (markdown: string, maxTokens: number, overlap = 0): Chunk[] =>
  chunksOf(markdown, { maxTokens, overlap }, countTokens).chunks

/** Returns what the chunks add to each other. */
function joined(chunks: readonly Chunk[]): string {
  let end = 0
  let text = ''
  for (const chunk of chunks) {
    text += chunk.text.slice(end - chunk.start)
    end = chunk.end
  }
  return text
}

const letters = fc.string({
  unit: fc.constantFrom(...'abc déß日本。. !'.split(''), '🙂', 'word ', '\u0301'),
  maxLength: 60,
})
const words = fc
  .array(
    fc.constantFrom(
      'tide',
      'mark',
      'crawl.',
      'naïve',
      '海',
      '汉字',
      '🙂',
      '1234567',
      'x_y',
      '<|endoftext|>',
      "it's",
    ),
    {
      minLength: 1,
      maxLength: 40,
    },
  )
  .map(some => some.join(' '))
const code = fc.array(fc.constantFrom('# no heading', 'let a = 1', '', '  | a | b |', '- x', '~~~'), {
  minLength: 1,
  maxLength: 8,
})

type Known = { markdown: string; kind: 'text' | 'whole'; heading?: { level: number; title: string } }
const block: fc.Arbitrary<Known> = fc.oneof(
  words.map((markdown): Known => ({ markdown, kind: 'text' })),
  fc
    .array(words, { minLength: 1, maxLength: 5 })
    .map((items): Known => ({ markdown: items.map(item => `- ${item}`).join('\n'), kind: 'text' })),
  words.map((text): Known => ({ markdown: `> ${text}\n> ${text}`, kind: 'text' })),
  code.map((lines): Known => ({ markdown: ['```sh', ...lines, '```'].join('\n'), kind: 'whole' })),
  code.map(
    (lines): Known => ({
      markdown: ['- item', '', '  ```', ...lines.map(line => `  ${line}`), '  ```'].join('\n'),
      kind: 'text',
    }),
  ),
  fc
    .array(fc.tuple(fc.constantFrom('a', 'tide 1', '海'), fc.constantFrom('b', '\\|')), {
      minLength: 1,
      maxLength: 12,
    })
    .map(
      (rows): Known => ({
        markdown: ['| x | y |', '| --- | :-: |', ...rows.map(cells => `| ${cells.join(' | ')} |`)].join('\n'),
        kind: 'whole',
      }),
    ),
  fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom('Prices', 'A b', '海')).map(
    ([level, title]): Known => ({
      markdown: `${'#'.repeat(level)} ${title}`,
      kind: 'text',
      heading: { level, title },
    }),
  ),
)
const page = fc.array(block, { maxLength: 25 })
const options = fc.integer({ min: 16, max: 200 }).chain(maxTokens =>
  fc.record({
    maxTokens: fc.constant(maxTokens),
    overlap: fc.integer({ min: 0, max: Math.floor(maxTokens / 2) }),
  }),
)
/** Anything that may look like Markdown, also unclosed fences and stray marks. */
const anyText = fc
  .array(
    fc.oneof(
      letters,
      words,
      fc.constantFrom(
        '```',
        '~~~~ x',
        '    code',
        '| a | b',
        '|-|-',
        '---',
        '===',
        '# ',
        '> ',
        '- ',
        '1. ',
        '\t',
        '\r',
        '\\',
        '>>',
      ),
    ),
    { maxLength: 40 },
  )
  .chain(lines =>
    fc
      .array(fc.constantFrom('\n', '\n\n', ' ', '\r\n'), { minLength: lines.length, maxLength: lines.length })
      .map(ends => lines.map((line, n) => line + ends[n]).join('')),
  )

const pages = sized(60, 1000)

test('Tokens are counted as gpt-tokenizer counts them', async t => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.string({ unit: codePoint }), letters), text => {
      const exact = counted(text)
      return (
        countTokens(text) === exact &&
        countTokens(text, exact) === exact &&
        (exact === 0 || countTokens(text, exact - 1) > exact - 1)
      )
    }),
    { numRuns: sized(300, 5000) },
  )
  for (const word of [
    'a'.repeat(5000),
    'ab1'.repeat(1000),
    '潮'.repeat(1500),
    '-'.repeat(3001),
    ' '.repeat(999),
  ])
    t.equal(countTokens(word), counted(word), `${word.slice(0, 5)}…`)
})

test('Counted texts do not stay in memory', async t => {
  countTokens('The ranks are loaded.')
  const grown = heapGrowth(() => {
    for (let at = 0; at < 60; at++) {
      const word = `lighthousekeepers${String.fromCodePoint(0x430 + at)}`
      countTokens(`${word} ${'tide '.repeat(200_000)}`)
    }
  })
  t.ok(
    grown < 20_000_000,
    `60 texts of a megabyte, each with a long word of its own, leave ${Math.round(grown / 1024)} KiB`,
  )
})

test('Chunks of any text', async t => {
  let [made, parts] = [0, 0]
  const holds = (markdown: string, { maxTokens, overlap }: ChunkOptions): void => {
    const plain = split(markdown, maxTokens)
    assertEqual(plain.map(({ text }) => text).join(''), markdown, 'together they are the text')
    const chunks = split(markdown, maxTokens, overlap)
    assertEqual(joined(chunks), markdown, 'also with an overlap')
    assertEqual(new Set(chunks.map(({ id }) => id)).size, chunks.length, 'every id is unique')
    assertEqual(
      JSON.stringify(split(markdown, maxTokens, overlap)),
      JSON.stringify(chunks),
      'the same every time',
    )
    let [before, start] = [0, -1]
    for (const chunk of chunks) {
      assertEqual(chunk.text, markdown.slice(chunk.start, chunk.end), 'offsets are exact')
      assertEqual(chunk.tokens, counted(chunk.text), 'the count is exact')
      if (chunk.tokens > maxTokens) throw new Error(`${chunk.tokens} tokens exceed ${maxTokens}`)
      if (counted(markdown.slice(chunk.start, before)) > overlap) throw new Error('the overlap is too long')
      if (chunk.start <= start || chunk.end <= before) throw new Error('a chunk adds nothing')
      ;[before, start] = [chunk.end, chunk.start]
    }
    made += chunks.length
    parts += chunks.filter(({ isPart }) => isPart).length
  }
  // All of the first chunk fits into the overlap of the second.
  const line = "it's 海 汉字 汉字 <|endoftext|> tide naïve <|endoftext|> 海 汉字 1234567\n"
  holds(`\t\n\n.bcß本本 🙂 \n${line}x_y 海 海 1234567 it's tide`, { maxTokens: 38, overlap: 8 })
  fc.assert(fc.property(anyText, options, holds), { numRuns: pages })
  fc.assert(fc.property(page.map(textOf), options, holds), { numRuns: pages })
  t.comment(`${made} chunks of ${2 * pages} pages, ${parts} with parts of blocks`)
  t.ok(parts > 0 && made > parts, 'some blocks exceed the limit, and most do not')
  t.same(split('', 100), [], 'an empty text has none')
})

test('Chunks of a page of known blocks', async t => {
  let whole = 0
  fc.assert(
    fc.property(page, fc.integer({ min: 16, max: 200 }), (blocks, maxTokens) => {
      const chunks = split(textOf(blocks), maxTokens)
      const path: { level: number; title: string }[] = []
      let at = 0
      for (const { markdown, kind, heading } of blocks) {
        const [start, end] = [at, at + markdown.length]
        at = end + 2
        const inside = chunks.filter(chunk => chunk.start < end && chunk.end > start)
        if (heading) {
          while ((path.at(-1)?.level ?? 0) >= heading.level) path.pop()
          path.push(heading)
        }
        if (kind === 'whole') {
          const fits = counted(`${markdown}\n\n`) <= maxTokens
          if (fits) whole++
          assertEqual(inside.length === 1, fits, 'a table or code is whole if it fits')
          if (!fits)
            assertEqual(
              inside.every(({ isPart }) => isPart),
              true,
              'and flagged if not',
            )
        }
        if (!heading)
          for (const { headingPath } of inside)
            assertEqual(
              headingPath.join('/'),
              path.map(({ title }) => title).join('/'),
              'the path is that of the headings',
            )
      }
    }),
    { numRuns: pages },
  )
  t.comment(`${whole} tables and code blocks stayed whole`)
  t.ok(whole > 0)
})

test('Chunks of a text', async t => {
  const titles: [heading: string, title: string][] = [
    ['*A* \\*b\\* `c_*` [x\\](y)', 'A *b* c_* [x](y)'],
    ['[one \\[1\\]](https://a.test/b_(c) "d") ##', 'one [1]'],
    ['![i](i.png)snake_case \\\\ a[1] ``d`', 'isnake_case \\ a[1] d'],
  ]
  for (const [heading, title] of titles)
    t.same(split(`# ${heading}\n\ntext`, 100)[0]?.headingPath, [title], heading)
  const markdown = [
    'Before.',
    '# The [guide](https://example.com/)',
    '## *Install*',
    'First. Second sentence.',
    '```sh\n# not a heading\nnpm start\n```',
    'Uses\n----',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '> # quoted\n> ```\n> code',
    'Last.',
  ].join('\n\n')
  t.same(
    split(markdown, 100).map(({ text, headingPath, isPart }) => [headingPath, text, isPart]),
    [
      [[], 'Before.\n\n', false],
      [
        ['The guide', 'Install'],
        '# The [guide](https://example.com/)\n\n## *Install*\n\nFirst. Second sentence.\n\n```sh\n# not a heading\nnpm start\n```\n\n',
        false,
      ],
      [
        ['The guide', 'Uses'],
        'Uses\n----\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> # quoted\n> ```\n> code\n\nLast.',
        false,
      ],
    ],
    'a heading begins a chunk; one directly above a deeper one is in its chunk',
  )
  const table = `| a | b |\n|---|---|\n${'| tide | mark |\n'.repeat(40)}`
  const rows = split(`# T\n\n${table}`, 64)
  t.ok(
    rows.length > 3 && rows.every(({ text, isPart }) => isPart && text.endsWith('|\n')),
    'long tables split between rows',
  )
  const prose = `${'The tide is high. '.repeat(30)}\n`
  t.ok(
    split(prose, 64).every(({ text }) => /\. $|\n$/.test(text)),
    'long paragraphs between sentences',
  )
  const paragraphs = Array.from(
    { length: 12 },
    (_, n) => `Paragraph ${n} of the tide. It has two sentences.`,
  ).join('\n\n')
  const [, second] = split(paragraphs, 48, 12)
  t.match(second?.text, /^(?:Paragraph \d|It has two sentences\.)/, 'an overlap begins with a sentence')
  t.equal(second && second.start < (split(paragraphs, 48, 12)[0]?.end ?? 0), true)
  const [one, ...others] = split(`${'# A\n\nsame\n\n'.repeat(3)}`, 64)
  t.equal(others.length, 2, 'equal sections are chunks of their own')
  t.equal(
    split(`# 0\n\nnew\n\n# A\n\nsame\n\n`, 64)[1]?.id,
    one?.id,
    'an id depends on the text and its path only',
  )
  t.same(
    ['## \\*x\\* `y` _z_ snake_case ##', 'a **b** ![c](d)', '🙂'.repeat(100)].map(title =>
      titleOf(title.replace(/^#+ /, '')),
    ),
    ['*x* y z snake_case', 'a b c', '🙂'.repeat(60)],
    'titles have no markup',
  )
})

test('Hostile texts take a bounded time', async t => {
  const megabytes = sized(0.15, 10)
  const length = megabytes * 1024 ** 2
  const random = (alphabet: string) => {
    let seed = 1
    let text = ''
    while (text.length < length) {
      seed = (seed * 48_271) % 2_147_483_647
      text += alphabet[seed % alphabet.length]
    }
    return text
  }
  const texts: Record<string, string> = {
    'one line without spaces': random('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/'),
    'one letter': 'a'.repeat(length),
    'white space': ' '.repeat(length),
    'one line of ideographs': random(
      '的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工',
    ),
    'deep quotes': '>'.repeat(length),
    'deep lists': '- '.repeat(length / 2),
    'list markers and spaces': `- ${' '.repeat(length)}x`,
    headings: '# a\n'.repeat(length / 4),
    'long headings': `${'#'.repeat(6)} ${'[a](b '.repeat(1000)}\n`.repeat(length / 6000),
    'an unclosed fence': `\`\`\`\n${'code | x\n'.repeat(length / 9)}`,
    'many fences': '```\n'.repeat(length / 4),
    'delimiters of tables': '|-|\n'.repeat(length / 4),
    'short lines': 'a\n'.repeat(length / 2),
    'no sentence end': 'tide '.repeat(length / 5),
    'only sentence ends': '. '.repeat(length / 2),
  }
  for (const [name, text] of Object.entries(texts))
    for (const options of [
      { maxTokens: 64, overlap: 32 },
      { maxTokens: 8192, overlap: 0 },
    ]) {
      const began = process.cpuUsage()
      const { chunks, isCut } = chunksOf(text, options, countTokens)
      const { user, system } = process.cpuUsage(began)
      const seconds = (user + system) / 1e6
      t.comment(
        `${name}, ${options.maxTokens}: ${chunks.length} chunks${isCut ? ', cut' : ''} in ${seconds.toFixed(1)} s`,
      )
      // The slowest takes 5 s for a megabyte, and beside other tests twice as long; quadratic time is minutes.
      t.ok(seconds * 1_000 < patient(40_000 * megabytes), `${name}: ${seconds} s for ${megabytes} MB`)
      t.ok(chunks.length <= maxChunks && (isCut || joined(chunks) === text), 'and the chunks are the text')
    }
})

const textOf = (blocks: readonly Known[]): string => blocks.map(({ markdown }) => `${markdown}\n\n`).join('')

function assertEqual(found: unknown, wanted: unknown, because: string): void {
  if (found !== wanted)
    throw new Error(`${because}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`)
}
