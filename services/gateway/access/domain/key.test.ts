import { checkOf, isApiKeyShaped } from '@tidemark/contracts/api-key'
import { test } from 'tap'
import { bearerOf, isValidAt } from './key.ts'

test('A key is taken for one only if its check fits', async t => {
  const key = 'tmk_0000000000000000000000000000000000000000'
  const whole = key + checkOf(key)
  t.equal(checkOf('123456789'), '3jZRME', 'the check value of CRC-32, 0xcbf43926, to the base of 62')
  t.equal(bearerOf(`Bearer ${whole}`), whole)
  t.equal(bearerOf(undefined), null)
  t.equal(bearerOf(`Bearer ${whole} ${whole}`), null, 'no other text may follow')
  t.equal(isApiKeyShaped(whole), true)
  t.equal(isApiKeyShaped(whole.replace('0', '1')), false)
  const soon = { revokedAt: null, expiresAt: '2026-01-02T00:00:00.000Z' }
  const at = Date.parse(soon.expiresAt)
  t.equal(isValidAt(soon, at - 1), true)
  t.equal(isValidAt(soon, at), false, 'not at the very moment')
  const revokedAt = '2026-01-01T00:00:00.000Z'
  t.equal(isValidAt({ ...soon, revokedAt }, at - 1), false)
  t.equal(isValidAt({ expiresAt: null, revokedAt }, at), false)
})
