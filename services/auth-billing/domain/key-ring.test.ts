import { test } from 'tap'
import { consent, type HeldKey, isActive, maxActive, revoke, rotate } from './key-ring.ts'

const projectId = 7
const at = '2026-11-21T10:00:00.000Z'
const tomorrow = '2026-11-22T10:00:00.000Z'
const hash = '0'.repeat(64)

const valid = (prefix: string): HeldKey => ({ prefix, caps: {}, expiresAt: null, revokedAt: null })
const ending = (prefix: string, expiresAt: string): HeldKey => ({ ...valid(prefix), expiresAt })
const revoked = (prefix: string): HeldKey => ({ ...valid(prefix), revokedAt: '2026-11-20T10:00:00.000Z' })
const ring = (...keys: HeldKey[]) => ({ projectId, keys, sharesEnded: {} })

test('A key is valid', async t => {
  t.ok(isActive(valid('a'), at), 'without an end')
  t.ok(isActive(ending('a', '2026-11-21T10:00:00.001Z'), at), 'before its end')
  t.notOk(isActive(ending('a', at), at), 'not at its end')
  t.notOk(isActive(revoked('a'), at), 'not when it is revoked')
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
    'creates a key, and the valid ones end exactly after the grace period',
  )
  t.strictSame(
    rotate(ring(valid('a')), { by, key, graceSeconds: 0, at }),
    [created, superseded(['a'], at)],
    'without a grace period they end at once',
  )
  const caps = { pagesPerDay: 5 }
  const narrowed = ring({ ...valid('a'), caps }, valid('b'))
  t.match(
    rotate(narrowed, { by, key, graceSeconds: 0, at }),
    [created, { type: 'KeyCapsSet', data: { projectId, prefix: 'new', caps } }, superseded(['a'], at)],
    'by a narrowed key creates an equally narrowed one and ends no other key',
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
    'by another key creates one without caps',
  )
  t.strictSame(
    rotate(ring(ending('a', '2026-11-21T11:00:00.000Z'), ending('b', '2026-12-01T00:00:00.000Z')), {
      by,
      key,
      graceSeconds: 86_400,
      at,
    }),
    [created, superseded(['b'], tomorrow)],
    'does not extend a key that ends sooner',
  )
  t.strictSame(
    rotate(ring(ending('a', tomorrow), revoked('b'), ending('c', at)), { by, key, graceSeconds: 86_400, at }),
    [created],
    'does not change expired and revoked keys',
  )
  for (const [caller, why] of [
    [revoked('a'), 'is revoked'],
    [ending('a', at), 'has ended'],
    [valid('x'), 'belongs to another project'],
  ] as const)
    t.equal(
      rotate(ring(caller, valid('b')), { by, key, graceSeconds: 0, at }),
      'unauthorized',
      `by a key that ${why} is refused`,
    )
  const many = Array.from({ length: maxActive }, (_, n) => valid(`k${n}`))
  const request = { by: 'k1', key, graceSeconds: 86_400, at }
  t.equal(rotate(ring(...many), request), 'too_many')
  t.type(rotate(ring(...many.slice(1)), request), Array)
  const manyNarrowed = many.map(held => ({ ...held, caps }))
  t.equal(
    rotate(ring(valid('a'), ...manyNarrowed), request),
    'too_many',
    'narrowed keys have their own maximum',
  )
  t.type(
    rotate(ring(valid('a'), ...manyNarrowed), { ...request, by }),
    Array,
    'narrowed keys do not count as others',
  )
})

test('Revoking', async t => {
  const event = (prefix: string) => ({ type: 'KeyRevoked', data: { projectId, prefix, revokedAt: at } })

  t.strictSame(
    revoke(ring(valid('a'), valid('b')), { prefix: 'a', by: 'b', at }),
    [event('a')],
    'revokes a key when another is valid',
  )
  for (const by of ['a', 'b'])
    t.strictSame(
      revoke(ring(valid('a'), ending('b', tomorrow)), { prefix: 'a', by, at }),
      [event('a')],
      `revokes a key when another is in its grace period (by ${by})`,
    )
  t.equal(
    revoke(ring(valid('a'), revoked('b'), ending('c', at)), { prefix: 'a', by: 'a', at }),
    'last',
    'is refused when all other keys are expired or revoked',
  )
  t.strictSame(
    revoke(ring(valid('a'), ending('c', at)), { prefix: 'c', by: 'a', at }),
    [event('c')],
    'revokes an expired key',
  )
  t.strictSame(
    revoke(ring(valid('a'), revoked('b')), { prefix: 'b', by: 'a', at }),
    [],
    'does not change a revoked key',
  )
  t.equal(revoke(ring(valid('a')), { prefix: 'x', by: 'a', at }), 'missing', 'reports an unknown key')
  const narrow = { ...valid('n'), caps: { cloudPagesPerDay: 0 } }
  for (const other of [valid('a'), revoked('a'), { ...narrow, prefix: 'a' }])
    t.equal(
      revoke(ring(narrow, other), { prefix: 'a', by: 'n', at }),
      'narrowed',
      'by a narrowed key is refused for every other key',
    )
  t.strictSame(
    revoke(ring(narrow, valid('a')), { prefix: 'n', by: 'n', at }),
    [event('n')],
    'by a narrowed key revokes itself',
  )
  t.strictSame(revoke(ring(narrow, valid('a')), { prefix: 'n', by: 'a', at }), [event('n')])
  t.equal(revoke(ring(narrow), { prefix: 'n', by: 'n', at }), 'last')
  t.equal(revoke(ring(narrow), { prefix: 'x', by: 'n', at }), 'missing')
  t.strictSame(
    revoke(ring(narrow, valid('a')), { prefix: 'a', by: null, at }),
    [event('a')],
    'by an operator revokes a key beside a narrowed one',
  )
  t.strictSame(revoke(ring(ending('c', at)), { prefix: 'c', by: null, at }), [event('c')])
  t.equal(revoke(ring(valid('a'), ending('c', at)), { prefix: 'a', by: null, at }), 'last')
  for (const by of ['b', 'c', 'x'])
    t.equal(
      revoke(ring(valid('a'), valid('d'), revoked('b'), ending('c', at)), { prefix: 'a', by, at }),
      'unauthorized',
      'by an invalid or unknown key is refused',
    )
})

test('A key without effect gives no consent to a language model', async t => {
  for (const held of [revoked('a'), ending('a', at), valid('b')])
    t.equal(consent(ring(held), { host: 'models.test', by: 'a', at }), 'unauthorized')
  const narrow = { ...valid('a'), caps: { pagesPerDay: 1 } }
  t.equal(consent(ring(narrow), { host: 'models.test', by: 'a', at }), 'narrowed')
})
