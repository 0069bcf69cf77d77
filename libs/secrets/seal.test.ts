import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { test } from 'tap'
import { SecretUnreadable, sealer, secretKeyId } from './seal.ts'

const keyHex = randomBytes(32).toString('hex')

test('A sealed secret', async t => {
  const { seal, open } = sealer(keyHex)

  t.test('is opened with the key', async t => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), text => open(seal(text)) === text.toWellFormed()))
    t.pass('for any text')
  })
  t.test('reveals nothing, not even that two texts are equal', async t => {
    t.notMatch(seal('session=abc'), /abc/)
    t.not(seal('same'), seal('same'))
    t.match(seal(''), /^sealed2\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/)
    t.match(seal(''), `sealed2.${secretKeyId(keyHex)}.`)
  })
  t.test('has a fingerprint that depends on the key', async t => {
    const { fingerprint } = sealer(keyHex)
    t.match(fingerprint('a'), /^[0-9a-f]{64}$/)
    t.equal(fingerprint('a'), sealer(keyHex).fingerprint('a'))
    t.not(fingerprint('a'), fingerprint('b'))
    t.not(fingerprint('a'), sealer(randomBytes(32).toString('hex')).fingerprint('a'))
  })
  t.test('cannot be opened with another key, nor if it was changed, cut or made up', async t => {
    const sealed = seal('session=abc')
    const other = sealer(randomBytes(32).toString('hex'))
    t.throws(() => other.open(sealed), SecretUnreadable)
    for (const wrong of [
      sealed.slice(0, -4),
      `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'B' : 'A'}`,
      'sealed1.',
      `sealed2.${secretKeyId(keyHex)}.`,
      sealed.replace('sealed2', 'sealed3'),
      sealed.replace(/\.[0-9a-f]{8}\./, '.00000000.'),
      'plain',
      '',
    ]) {
      t.throws(() => open(wrong), SecretUnreadable)
    }
    t.throws(
      () => open(`sealed2.${secretKeyId(keyHex)}.AAAAAA`),
      { cause: { errors: [{ message: /authentication tag length/ }] } },
      'a tag has 16 bytes',
    )
  })
  t.test('needs a complete key', async t => {
    t.throws(() => sealer('abcd'), /32 bytes/)
    t.throws(() => sealer(keyHex, ['abcd']), /32 bytes/)
  })
  t.test('is opened after a key replacement, while the old key is kept', async t => {
    const [first = '', second = '', third = ''] = [1, 2, 3].map(() => randomBytes(32).toString('hex'))
    const old = sealer(first).seal('old')
    const both = sealer(second, [first])
    const all = sealer(third, [second, first])
    t.equal(both.open(old), 'old')
    t.equal(all.open(both.seal('newer')), 'newer')
    t.throws(() => sealer(third, [second]).open(old), SecretUnreadable)
    t.notOk(both.isNewest(old))
    t.ok(both.isNewest(both.seal('old')))
    t.equal(all.fingerprint('a'), sealer(first).fingerprint('a'), 'and fingerprints stay')
  })
  t.test('has a signature that the keys of the ring verify', async t => {
    const [first = '', second = ''] = [1, 2].map(() => randomBytes(32).toString('hex'))
    const signature = sealer(first).sign('text')
    t.match(signature, /^[0-9a-f]{64}$/)
    const both = sealer(second, [first])
    t.ok(both.isSigned('text', signature), 'also after a key replacement')
    t.ok(both.isSigned('text', both.sign('text')))
    t.not(both.sign('text'), signature, 'only the newest key signs')
    t.notOk(sealer(second).isSigned('text', signature))
    t.notOk(both.isSigned('another text', signature))
    for (const wrong of [signature.slice(2), `${signature}00`, '', 'no hex', both.fingerprint('text')])
      t.notOk(both.isSigned('text', wrong), wrong)
  })
  t.test('may have the earlier form, which does not name its key', async t => {
    const nameless = (key: string, text: string) =>
      sealer(key)
        .seal(text)
        .replace(/^sealed2\.[0-9a-f]{8}/, 'sealed1')
    const newer = randomBytes(32).toString('hex')
    const ring = sealer(newer, [keyHex])
    t.equal(ring.open(nameless(keyHex, 'before')), 'before')
    t.equal(ring.open(nameless(newer, 'now')), 'now')
    t.notOk(ring.isNewest(nameless(newer, 'now')))
    t.throws(() => sealer(newer).open(nameless(keyHex, 'before')), SecretUnreadable)
  })
})
