import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { test } from 'tap'
import { SecretUnreadable, sealer } from './seal.ts'

const keyHex = randomBytes(32).toString('hex')

test('A sealed secret', async t => {
  const { seal, open } = sealer(keyHex)

  t.test('is opened again by whoever has the key', async t => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), text => open(seal(text)) === text.toWellFormed()))
    t.pass('for any text')
  })
  t.test('shows nothing of itself, not even that it stands twice', async t => {
    t.notMatch(seal('session=abc'), /abc/)
    t.not(seal('same'), seal('same'))
    t.match(seal(''), /^sealed1\.[A-Za-z0-9_-]+$/)
  })
  t.test('has a fingerprint that depends on the key', async t => {
    const { fingerprint } = sealer(keyHex)
    t.match(fingerprint('a'), /^[0-9a-f]{64}$/)
    t.equal(fingerprint('a'), sealer(keyHex).fingerprint('a'))
    t.not(fingerprint('a'), fingerprint('b'))
    t.not(fingerprint('a'), sealer(randomBytes(32).toString('hex')).fingerprint('a'))
  })
  t.test('cannot be opened with another key, changed, cut or made up', async t => {
    const sealed = seal('session=abc')
    const other = sealer(randomBytes(32).toString('hex'))
    t.throws(() => other.open(sealed), SecretUnreadable)
    for (const wrong of [
      sealed.slice(0, -4),
      `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'B' : 'A'}`,
      'sealed1.',
      'plain',
      '',
    ]) {
      t.throws(() => open(wrong), SecretUnreadable)
    }
  })
  t.test('needs a whole key', async t => {
    t.throws(() => sealer('abcd'), /32 bytes/)
  })
})
