/** Texts of the console: the state of a key. */
import { test } from 'tap'
import { keyState } from './web/data/words.ts'

test('A key is active until its end or its revocation', async t => {
  const [past, future] = [-1000, 60_000].map(ms => new Date(Date.now() + ms).toISOString()) as [
    string,
    string,
  ]
  t.equal(keyState({ revoked_at: null, expires_at: null }), 'active')
  t.equal(keyState({ revoked_at: null, expires_at: future }), 'active')
  t.equal(keyState({ revoked_at: null, expires_at: past }), 'expired')
  t.equal(keyState({ revoked_at: past, expires_at: past }), 'revoked')
})
