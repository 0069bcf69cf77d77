import fc from 'fast-check'
import { test } from 'tap'
import { codePoint } from './code-point.ts'

test('A code point is any but a surrogate', async t => {
  const texts = fc.sample(fc.string({ unit: codePoint, maxLength: 100 }), { seed: 1, numRuns: 300 })
  t.ok(texts.every(text => text.isWellFormed()))
  t.ok(
    texts.some(text => text.includes('__proto__')),
    'names that objects have are among the texts',
  )
  const found = texts.flatMap(text => [...text].map(one => one.codePointAt(0) ?? 0))
  for (const [first, last] of [
    [0, 0x7f],
    [0x80, 0xd7ff],
    [0xe000, 0xffff],
    [0x10000, 0x10ffff],
  ] as const)
    t.ok(
      found.some(n => n >= first && n <= last),
      `from ${first} to ${last}`,
    )
})
