/** The difference of two texts in lines and words, and its bounds. */
import { sized } from '@tidemark/testing/tier'
import fc from 'fast-check'
import { test } from 'tap'
import { comparisonOf } from './comparison.ts'
import { textDifference } from './text-difference.ts'

test('The difference of two texts', async t => {
  await t.test('is returned by lines, and by words in replaced lines', async t => {
    const before = ['one', 'two', 'three', 'four', 'A page costs 2 cents.', 'five', 'six', 'seven', 'eight']
    const after = [...before.slice(0, 4), 'A page costs 1 cent.', ...before.slice(5), 'nine']
    const { summary, lines, truncated } = textDifference(before.join('\n'), `${after.join('\n')}\n`)
    t.strictSame([summary, truncated], [{ added: 2, removed: 1, same: 8, changed_words: 3 }, false])
    t.strictSame(
      lines.map(({ change, old_line, new_line, text }) => [change, old_line, new_line, text]),
      [
        ['same', 2, 2, 'two'],
        ['same', 3, 3, 'three'],
        ['same', 4, 4, 'four'],
        ['removed', 5, undefined, 'A page costs 2 cents.'],
        ['added', undefined, 5, 'A page costs 1 cent.'],
        ['same', 6, 6, 'five'],
        ['same', 7, 7, 'six'],
        ['same', 8, 8, 'seven'],
        ['same', 9, 9, 'eight'],
        ['added', undefined, 10, 'nine'],
      ],
    )
    t.strictSame(lines[3]?.words, [
      { change: 'same', text: 'A page costs ' },
      { change: 'removed', text: '2' },
      { change: 'same', text: ' ' },
      { change: 'removed', text: 'cents' },
      { change: 'same', text: '.' },
    ])
    t.match(lines[4]?.words, [{}, { change: 'added', text: '1' }, {}, { text: 'cent' }])
  })

  await t.test('is empty for equal texts, and complete if one is empty', async t => {
    t.strictSame(textDifference('a\nb', 'a\nb\n').lines, [])
    t.match(textDifference('', 'a\nb'), { summary: { added: 2, removed: 0, same: 0 } })
    t.match(textDifference('', ''), { summary: { added: 0, removed: 0, same: 0 }, truncated: false })
  })

  await t.test('contains both texts, for any texts', async () => {
    const text = fc.array(fc.constantFrom('a', 'b c', 'b d', '', '😀 x', 'ü'), { maxLength: 12 })
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { lines, summary } = textDifference(before.join('\n'), after.join('\n'))
        for (const { change, old_line, new_line, text, words } of lines) {
          if (change !== 'added' && before[(old_line ?? 0) - 1] !== text)
            throw new Error('no such line before')
          if (change !== 'removed' && after[(new_line ?? 0) - 1] !== text)
            throw new Error('no such line after')
          if (words && words.map(({ text }) => text).join('') !== text) throw new Error('other words')
        }
        const grown = summary.added - summary.removed
        const count = (all: string[]) => all.join('\n').replace(/\n$/, '').split('\n').length
        const isEmpty = (all: string[]) => all.join('\n').replace(/\n$/, '') === ''
        if (!isEmpty(before) && !isEmpty(after) && grown !== count(after) - count(before))
          throw new Error('lines are lost')
      }),
      { numRuns: sized(100, 300) },
    )
  })

  await t.test('is truncated at its limit, and reports it', async t => {
    const lines = (word: string, count: number) =>
      Array.from({ length: count }, (_, n) => `${word} ${n}`).join('\n')
    const other = textDifference(lines('a', 15_000), lines('b', 15_000))
    t.match(other, { truncated: true, summary: { added: 15_000, removed: 15_000 } })
    t.equal(other.lines.length, 2_000)
    t.equal(textDifference(lines('a', 30_000), lines('a', 30_000)).truncated, true)
    const wide = textDifference(`${'word '.repeat(200_000)}`, `${'word '.repeat(200_000)}x`)
    t.equal(wide.truncated, true)
    const long = textDifference('x '.repeat(3_000), 'y '.repeat(3_000))
    t.ok(long.lines.every(({ words }) => words === undefined))
  })

  await t.test('compares the visible text of two pages', async t => {
    const side = (body: string, contentType = 'text/html') => ({
      ...{ url: 'https://site.test/', status: 200, contentType, headers: {} },
      body: Buffer.from(body),
    })
    const [old, fresh] = ['2', '1'].map(price =>
      side(
        `<title>x</title><script>${price}</script><h1>Prices</h1><ul><li>A page: <b>${price}</b> cents</ul>`,
      ),
    ) as [ReturnType<typeof side>, ReturnType<typeof side>]
    const texts = (mode: 'text' | 'markdown') =>
      comparisonOf({ mode, old, new: fresh }).lines.map(({ change, text }) => `${change} ${text}`)
    t.strictSame(texts('text'), ['same Prices', 'removed A page: 2 cents', 'added A page: 1 cents'])
    t.match(texts('markdown'), ['same # Prices', 'same ', /^removed .*\*\*2\*\*/, /^added .*\*\*1\*\*/])
    const plain = comparisonOf({
      mode: 'text',
      old: side('a\nb', 'text/plain'),
      new: side('a\nc', 'text/plain'),
    })
    t.match(plain.summary, { added: 1, removed: 1, same: 1 })
  })
})
