import { test } from 'tap'
import { type HeldKey, isActive, maxActive, revoke, rotate } from './key-ring.ts'

const projectId = 7
const at = '2026-11-21T10:00:00.000Z'
const tomorrow = '2026-11-22T10:00:00.000Z'
const hash = '0'.repeat(64)

const valid = (prefix: string): HeldKey => ({ prefix, caps: {}, expiresAt: null, revokedAt: null })
const ending = (prefix: string, expiresAt: string): HeldKey => ({ ...valid(prefix), expiresAt })
const revoked = (prefix: string): HeldKey => ({ ...valid(prefix), revokedAt: '2026-11-20T10:00:00.000Z' })
const ring = (...keys: HeldKey[]) => ({ projectId, keys })

test('A key opens the door', async t => {
  t.ok(isActive(valid('a'), at), 'without an end')
  t.ok(isActive(ending('a', '2026-11-21T10:00:00.001Z'), at), 'before its end')
  t.notOk(isActive(ending('a', at), at), 'but not at its end')
  t.notOk(isActive(revoked('a'), at), 'nor when it is revoked')
})

test('Rotating', async t => {
  const key = { prefix: 'new', hash, label: 'ci' }
  const created = { type: 'KeyCreated', data: { projectId, ...key, createdAt: at, expiresAt: null } }
  const superseded = (prefixes: string[], expiresAt: string) => ({
    type: 'KeysSuperseded',
    data: { projectId, prefixes, expiresAt },
  })

  const by = 'a'

  t.strictSame(
    rotate(ring(valid('a'), valid('b')), { by, key, graceSeconds: 86_400, at }),
    [created, superseded(['a', 'b'], tomorrow)],
    'given valid keys, makes a new one, and they end after the grace to the second',
  )
  t.strictSame(
    rotate(ring(valid('a')), { by, key, graceSeconds: 0, at }),
    [created, superseded(['a'], at)],
    'without grace, they end at once',
  )
  const caps = { pagesPerDay: 5 }
  const narrowed = ring({ ...valid('a'), caps }, valid('b'))
  t.match(
    rotate(narrowed, { by, key, graceSeconds: 0, at }),
    [created, { type: 'KeyCapsSet', data: { projectId, prefix: 'new', caps } }, superseded(['a'], at)],
    'asked for with a narrowed key, it is narrowed alike and ends no other key',
  )
  const lifted = { ...valid('a'), caps: { pagesPerDay: null } }
  t.match(
    rotate(ring(lifted, valid('b')), { by, key, graceSeconds: 0, at }),
    [created, { type: 'KeyCapsSet' }, superseded(['a', 'b'], at)],
    'a key without a number in its caps is not narrowed',
  )
  t.strictSame(
    rotate(narrowed, { by: 'b', key, graceSeconds: 0, at }),
    [created, superseded(['a', 'b'], at)],
    'and not as another is',
  )
  t.strictSame(
    rotate(ring(ending('a', '2026-11-21T11:00:00.000Z'), ending('b', '2026-12-01T00:00:00.000Z')), {
      by,
      key,
      graceSeconds: 86_400,
      at,
    }),
    [created, superseded(['b'], tomorrow)],
    'given a key that ends sooner, lengthens nobody’s life',
  )
  t.strictSame(
    rotate(ring(ending('a', tomorrow), revoked('b'), ending('c', at)), { by, key, graceSeconds: 86_400, at }),
    [created],
    'given dead keys, leaves them dead',
  )
  for (const [asker, why] of [
    [revoked('a'), 'is revoked'],
    [ending('a', at), 'has ended'],
    [valid('x'), 'is none of the project'],
  ] as const)
    t.equal(
      rotate(ring(asker, valid('b')), { by, key, graceSeconds: 0, at }),
      'unauthorized',
      `asked for with a key that ${why}, is refused`,
    )
  const many = Array.from({ length: maxActive }, (_, n) => valid(`k${n}`))
  const asked = { by: 'k1', key, graceSeconds: 86_400, at }
  t.equal(rotate(ring(...many), asked), 'too_many')
  t.type(rotate(ring(...many.slice(1)), asked), Array)
  const manyNarrowed = many.map(held => ({ ...held, caps }))
  t.equal(
    rotate(ring(valid('a'), ...manyNarrowed), asked),
    'too_many',
    'narrowed keys have a bound of their own',
  )
  t.type(
    rotate(ring(valid('a'), ...manyNarrowed), { ...asked, by }),
    Array,
    'and take no place of the others',
  )
})

test('Revoking', async t => {
  const fact = (prefix: string) => ({ type: 'KeyRevoked', data: { projectId, prefix, revokedAt: at } })

  t.strictSame(
    revoke(ring(valid('a'), valid('b')), { prefix: 'a', by: 'b', at }),
    [fact('a')],
    'given another valid key, takes it away',
  )
  for (const by of ['a', 'b'])
    t.strictSame(
      revoke(ring(valid('a'), ending('b', tomorrow)), { prefix: 'a', by, at }),
      [fact('a')],
      `given one in its grace, takes it away too (asked for with ${by})`,
    )
  t.equal(
    revoke(ring(valid('a'), revoked('b'), ending('c', at)), { prefix: 'a', by: 'a', at }),
    'last',
    'given only dead ones, is refused',
  )
  t.strictSame(
    revoke(ring(valid('a'), ending('c', at)), { prefix: 'c', by: 'a', at }),
    [fact('c')],
    'given that it has ended, is done',
  )
  t.strictSame(
    revoke(ring(valid('a'), revoked('b')), { prefix: 'b', by: 'a', at }),
    [],
    'given that it is revoked, does nothing',
  )
  t.equal(revoke(ring(valid('a')), { prefix: 'x', by: 'a', at }), 'missing', 'given no such key, says so')
  const narrow = { ...valid('n'), caps: { cloudPagesPerDay: 0 } }
  for (const other of [valid('a'), revoked('a'), { ...narrow, prefix: 'a' }])
    t.equal(
      revoke(ring(narrow, other), { prefix: 'a', by: 'n', at }),
      'narrowed',
      'asked for with a narrowed key, is refused for every other',
    )
  t.strictSame(
    revoke(ring(narrow, valid('a')), { prefix: 'n', by: 'n', at }),
    [fact('n')],
    'but not for itself',
  )
  t.strictSame(revoke(ring(narrow, valid('a')), { prefix: 'n', by: 'a', at }), [fact('n')])
  t.equal(revoke(ring(narrow), { prefix: 'n', by: 'n', at }), 'last')
  t.equal(revoke(ring(narrow), { prefix: 'x', by: 'n', at }), 'missing')
  for (const by of ['b', 'c', 'x'])
    t.equal(
      revoke(ring(valid('a'), valid('d'), revoked('b'), ending('c', at)), { prefix: 'a', by, at }),
      'unauthorized',
      'asked for with a key that is good no more, or none, is refused',
    )
})
