/** Signatures of HTTP messages, by the examples of RFC 9421 and of Web Bot Auth, and by an independent verifier. */
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { readSettings } from '@tidemark/config/settings'
import { type Message, verified } from '@tidemark/testing/signatures'
import fc from 'fast-check'
import { test } from 'tap'
import { Type } from 'typebox'
import { directoryOrigin, signingFaults, signingSettings } from './settings.ts'
import { signatureBase, signed } from './signature.ts'
import { readSigningKey, signingKeyFault } from './signing-key.ts'
import { bytesItem, parametersOf, stringItem } from './structured-fields.ts'
import { type AgentForm, createDirectory, createRequestSigner } from './web-bot-auth.ts'

/** RFC 9421, appendix B.1.4. */
const examplePem = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----`
const exampleSeed = 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU'
const exampleId = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U'
const key = readSigningKey(examplePem)
const now = Date.parse('2026-05-04T03:02:41Z')

test('A signature', async t => {
  t.test('is that of RFC 9421, appendix B.2.6', async t => {
    const components = [
      { name: 'date', value: 'Tue, 20 Apr 2021 02:07:55 GMT' },
      { name: '@method', value: 'POST' },
      { name: '@path', value: '/foo' },
      { name: '@authority', value: 'example.com' },
      { name: 'content-type', value: 'application/json' },
      { name: 'content-length', value: '18' },
    ]
    const parameters = { created: 1618884473, keyid: 'test-key-ed25519' }
    t.equal(
      signatureBase(components, parameters).base,
      `"date": Tue, 20 Apr 2021 02:07:55 GMT
"@method": POST
"@path": /foo
"@authority": example.com
"content-type": application/json
"content-length": 18
"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`,
    )
    t.strictSame(signed(key, components, parameters), {
      input:
        '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
      signature: ':wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:',
    })
  })

  t.test('of a request and of a directory is that of the draft of Web Bot Auth', async t => {
    const agent = { name: 'signature-agent', value: '"https://signature-agent.test"' }
    const authority = { name: '@authority', value: 'example.com' }
    const request = {
      created: 1735689600,
      keyid: exampleId,
      alg: 'ed25519',
      expires: 4889289600,
      nonce: 'n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==',
      tag: 'web-bot-auth',
    }
    t.equal(
      signed(key, [authority, { ...agent, parameters: { key: 'agent2' } }], request).signature,
      ':RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:',
    )
    const former = {
      ...request,
      expires: 1735693200,
      nonce: 'e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==',
    }
    t.equal(
      signed(key, [authority, agent], former).signature,
      ':jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:',
    )
    const directory = [
      { name: '@authority', parameters: { req: true as const }, value: 'signature-agent.test' },
      { name: 'content-digest', value: 'sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:' },
    ]
    const { created, expires, keyid } = request
    t.equal(
      signed(key, directory, { created, expires, keyid, tag: 'http-message-signatures-directory' }).signature,
      ':l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:',
    )
  })

  t.test('cannot cover a component twice, nor a value that could forge a line', async t => {
    const twice = [
      { name: 'date', value: 'a' },
      { name: 'date', value: 'b' },
    ]
    t.throws(() => signatureBase(twice, {}), /"date" is covered twice/)
    for (const value of ['a\n"@method": GET', 'a\rb', 'n\u00fc'])
      t.throws(() => signatureBase([{ name: 'date', value }], {}), /"date" cannot be signed/)
  })
})

test('Structured fields have the forms of RFC 9651', async t => {
  t.equal(stringItem('a "b" \\ c'), String.raw`"a \"b\" \\ c"`)
  for (const text of ['n\u00fc', 'a\n', '\x7f']) t.throws(() => stringItem(text), /printable ASCII/)
  t.equal(bytesItem(Buffer.from('hello')), ':aGVsbG8=:')
  t.equal(parametersOf({ req: true, created: 7, key: 'sig1' }), ';req;created=7;key="sig1"')
  for (const number of [1.5, Infinity, 1e15]) t.throws(() => parametersOf({ n: number }), /not an integer/)
  t.throws(() => parametersOf({ 'A b': 1 }), /name of a parameter/)
})

test('A key is an Ed25519 private key, as PEM or as its seed', async t => {
  for (const text of [examplePem, examplePem.replaceAll('\n', '\\n'), exampleSeed, `${exampleSeed}=`]) {
    const { keyid, jwk } = readSigningKey(text)
    t.equal(keyid, exampleId, 'the thumbprint of RFC 9421')
    t.strictSame(jwk, { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' })
    t.match(signingKeyFault(text), /key of RFC 9421/, 'which is public, so it is no key of an installation')
  }
  const pem = (type: 'x25519' | 'ed448') =>
    generateKeyPairSync(type as 'x25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  const publicPem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })
  const wrong = ['secret', randomBytes(31).toString('base64'), randomBytes(64).toString('base64'), publicPem]
  for (const text of [...wrong, pem('x25519'), pem('ed448'), '-----BEGIN PRIVATE KEY-----'])
    t.match(signingKeyFault(String(text)), /must be an Ed25519 private key/)
  t.equal(signingKeyFault(randomBytes(32).toString('base64')), null)
})

const seed = fc.uint8Array({ minLength: 32, maxLength: 32 })
const newKey = seed.map(bytes => readSigningKey(Buffer.from(bytes).toString('base64')))
const authorities = fc
  .tuple(fc.webAuthority({ withIPv4: true, withIPv6: true, withPort: true }))
  .map(([authority]) => URL.parse(`https://${authority}`)?.host ?? 'example.com')
const forms = fc.constantFrom<AgentForm>('dictionary', 'string')
const directory = 'https://crawler.example.com'
const check = (message: Message, keys: Parameters<typeof verified>[1], at = now) =>
  verified(message, keys, 'web-bot-auth', at / 1000)

test('Each signed request', async t => {
  t.test('is verified with the public key of the directory, by its authority and for minutes', async t => {
    const times = fc.integer({ min: 0, max: 4e12 })
    fc.assert(
      fc.property(newKey, authorities, forms, times, (key, authority, form, at) => {
        const headers = createRequestSigner({ key, directory, form, now: () => at })(authority)
        const [one] = check({ headers, authority }, [key.jwk], at)
        t.match(headers['signature-agent'], form === 'string' ? /^"https:/ : /^sig1="https:/)
        return one?.keyid === key.keyid && one.components.length === 2 && one.expires - at / 1000 > 239
      }),
      { numRuns: 200 },
    )
    t.pass()
  })

  t.test('is invalid once one character has changed', async t => {
    const fields = ['signature', 'signature-input', 'signature-agent'] as const
    const edits = fc.record({
      field: fc.constantFrom(...fields),
      index: fc.nat(),
      to: fc.string({ minLength: 1 }),
    })
    fc.assert(
      fc.property(newKey, authorities, forms, edits, (key, authority, form, { field, index, to }) => {
        const headers = createRequestSigner({ key, directory, form, now: () => now })(authority)
        const value = headers[field] ?? ''
        const at = index % value.length
        const changed = value.slice(0, at) + to.charAt(0) + value.slice(at + 1)
        fc.pre(changed !== value && !isSameSignature(field, value, changed))
        t.throws(() => check({ headers: { ...headers, [field]: changed }, authority }, [key.jwk]))
      }),
      { numRuns: 500 },
    )
  })

  t.test('is invalid for another authority, with another key, and later', async t => {
    const other = readSigningKey(randomBytes(32).toString('base64'))
    const headers = createRequestSigner({ key, directory, form: 'dictionary', now: () => now })('a.test')
    t.ok(check({ headers, authority: 'a.test' }, [other.jwk, key.jwk]))
    t.throws(() => check({ headers, authority: 'b.test' }, [key.jwk]), /does not sign/)
    t.throws(() => check({ headers, authority: 'a.test' }, [other.jwk]), /unknown key/)
    t.throws(() => check({ headers, authority: 'a.test' }, [key.jwk], now + 300_000), /not valid now/)
    t.throws(() => check({ headers, authority: 'a.test' }, [key.jwk], now - 60_000), /not valid now/)
  })

  t.test('costs one signature per authority and minute, for a bounded number of authorities', async t => {
    let signatures = 0
    let at = now
    const counting = {
      ...key,
      sign(text: string) {
        signatures++
        return key.sign(text)
      },
    }
    const sign = createRequestSigner({
      key: counting,
      directory,
      form: 'dictionary',
      now: () => at,
      cached: 2,
    })
    const first = sign('a.test')
    t.equal(sign('a.test'), first)
    sign('b.test')
    sign('a.test')
    t.equal(signatures, 2)
    sign('c.test')
    t.equal(sign('a.test'), first, 'the authority that was used last stays')
    t.equal(signatures, 3)
    sign('b.test')
    t.equal(signatures, 4, 'the one that was unused for longest is signed again')
    at += 60_000
    t.not(sign('a.test').signature, first.signature)
    t.equal(
      sign('a.test')['signature-input']?.match(/created=(\d+)/)?.[1],
      String(Date.parse('2026-05-04T03:03:00Z') / 1000),
    )
  })
})

/** Base64 has several texts for some bytes, and a verifier reads the signature only up to its end. */
function isSameSignature(field: string, value: string, changed: string): boolean {
  const bytes = (text: string) => /^sig1=:([^:]*):/.exec(text)?.[1]
  const [one, two] = [bytes(value), bytes(changed)]
  return (
    field === 'signature' &&
    one !== undefined &&
    two !== undefined &&
    Buffer.from(one, 'base64').equals(Buffer.from(two, 'base64'))
  )
}

test('The directory lists the public keys, and each key signs it for the configured authority', async t => {
  const second = readSigningKey(randomBytes(32).toString('base64'))
  let at = now
  const read = createDirectory([key, second], 'https://crawler.example.com:8443', () => at)
  const { body, fields } = read()
  const { keys } = JSON.parse(body.toString())
  t.strictSame(
    keys,
    [key, second].map(({ jwk, keyid }) => ({ ...jwk, kid: keyid, use: 'sig' })),
    'without private parts',
  )
  t.match(fields, {
    'content-type': 'application/http-message-signatures-directory+json',
    'cache-control': 'public, max-age=3600',
    'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:`,
  })
  const tag = 'http-message-signatures-directory'
  const message = { headers: fields, authority: 'crawler.example.com:8443' }
  const found = verified(message, keys, tag, at / 1000)
  t.strictSame(
    found.map(({ keyid, components }) => [keyid, components]),
    [key, second].map(({ keyid }) => [keyid, ['"@authority";req', '"content-digest"']]),
  )
  t.throws(() => verified({ ...message, authority: 'mirror.example' }, keys, tag, at / 1000), /does not sign/)
  t.ok(verified(message, keys, tag, at / 1000 + 3600), 'a cached copy stays valid')
  t.equal(read().fields, fields)
  at += 60_000
  t.not(read().fields.signature, fields.signature)
})

test('The settings name the directory, and say what is missing', async t => {
  const of = (BOT_DIRECTORY_URL: string, PUBLIC_URL: string) => ({ BOT_DIRECTORY_URL, PUBLIC_URL })
  t.equal(
    directoryOrigin(of('https://Crawler.example.com', 'https://api.example.com')),
    'https://crawler.example.com',
  )
  t.equal(directoryOrigin(of('', 'https://api.example.com:443/')), 'https://api.example.com')
  for (const text of [
    '',
    'http://api.example.com',
    'https://api.example.com/base',
    'https://u@api.example.com',
    'x',
  ])
    t.equal(directoryOrigin(of('', text)), null, text)
  t.strictSame(signingFaults({ BOT_KEY: '', ...of('', '') }), [])
  t.match(signingFaults({ BOT_KEY: exampleSeed, ...of('', 'http://api.example.com') }), [
    /^BOT_DIRECTORY_URL is missing/,
  ])
  t.strictSame(signingFaults({ BOT_KEY: exampleSeed, ...of('https://crawler.example.com', '') }), [])
  const wrong = { BOT_KEY: exampleSeed, BOT_DIRECTORY_URL: 'https://crawler.example.com/x' }
  const report = /BOT_KEY must not be the key of RFC 9421[\s\S]*BOT_DIRECTORY_URL must be an https origin/
  t.throws(() => readSettings(Type.Object(signingSettings), wrong), report)
})
