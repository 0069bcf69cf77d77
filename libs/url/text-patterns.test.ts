/** Patterns of text that does not count: the parts that they remove, and the bound of their work. */
import { test } from 'tap'
import { checkPatterns } from './patterns.ts'
import { compileTextPatterns } from './text-patterns.ts'

test('Patterns of text', async t => {
  const without = (patterns: string[], line: string) => compileTextPatterns(patterns).remove(line)
  t.equal(without(['\\d+ visitors'], 'Now 17 visitors, then 4 visitors.'), 'Now , then .')
  t.equal(without(['(?i)updated: .*'], 'Prices. UPDATED: today'), 'Prices. ')
  t.equal(without(['gültig bis [^ ]+', '€\\pZ?'], 'gültig bis Mai, 5 €'), ' 5 ')
  t.equal(without(['[äöü]'], 'Prüfung'), 'Prfung', 'classes beyond ASCII are allowed')
  t.equal(without(['x*'], 'abc'), 'abc', 'an empty match removes nothing')
  t.equal(without(['(broken'], '(broken'), '(broken', 'an invalid pattern matches nothing')
  t.equal(without([], 'a'), 'a')

  await t.test('share the budget of the patterns of addresses', async t => {
    t.strictSame(checkPatterns({ text: ['[äöü]', '\\d+'] }), { ok: true })
    t.match(checkPatterns({ include: ['[äöü]'] }), { ok: false, list: 'include', at: 0 })
    t.match(checkPatterns({ text: ['a', '(b'] }), { ok: false, list: 'text', at: 1 })
    t.match(checkPatterns({ text: ['(?=a)'] }), { ok: false, list: 'text', at: 0 })
    t.match(checkPatterns({ text: ['(a{50}){60}'] }), { ok: false, because: /too heavy/ })
    const broad = Array(40).fill('(?:[a-z]{0,40}x)')
    t.strictSame(checkPatterns({ include: broad.slice(0, 15) }), { ok: true })
    t.match(checkPatterns({ include: broad.slice(0, 15), text: broad }), { ok: false, list: 'text' })
  })

  await t.test('end their work at a bound, and leave the rest of the text as it is', async t => {
    const heavy = Array(20).fill('(?:[a-z]{0,40}1)?q')
    const patterns = compileTextPatterns([...heavy, 'a'])
    const line = 'abcdefghij '.repeat(1_000)
    const from = performance.now()
    let rest = ''
    for (let n = 0; n < 200; n++) rest = patterns.remove(line)
    t.equal(rest, line)
    t.ok(performance.now() - from < 5_000, 'two million characters within a bounded time')
    t.equal(compileTextPatterns(['a']).remove('a'.repeat(20_000)).length, 20_000, 'a line that is too long')

    const groups = `(?:${Array(122).fill('(a)').join('|')})[b0]`
    t.strictSame(checkPatterns({ text: Array(8).fill(groups) }), { ok: true })
    const many = compileTextPatterns([...Array(8).fill(groups), 'z'])
    const began = process.cpuUsage()
    for (let n = 0; n < 20; n++) many.remove('a'.repeat(16_000))
    const { user } = process.cpuUsage(began)
    t.ok(user < 5_000_000, `${Math.round(user / 1_000)} ms, and not 30 s, for alternatives and groups`)
    t.equal(many.remove('z'), 'z')
  })
})
