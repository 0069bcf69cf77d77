/** Time-stamps of evidence by a real authority, which OpenSSL verifies, and by one that misbehaves. */
import { execFile } from 'node:child_process'
import { hash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { call } from '@tidemark/bus/rpc'
import {
  maxStampsPerDay,
  type StampedEvidence,
  stampEvidence,
  type Unstamped,
} from '@tidemark/contracts/rpc/time-stamp'
import { createResolver } from '@tidemark/http/resolve'
import { sized } from '@tidemark/testing/tier'
import {
  type Behaviour,
  misbehaviours,
  startTimeStampAuthority,
  type TimeStampAuthority,
} from '@tidemark/testing/time-stamp-authority'
import { until } from '@tidemark/testing/until'
import fc from 'fast-check'
import { type Test, test } from 'tap'
import { openAuthority } from './adapters/time-stamps/authority.ts'
import { openTimeStamps } from './adapters/time-stamps/stored-stamps.ts'
import { context, DerReader, der, tags } from './domain/time-stamps/der.ts'
import { ReplyFault, readReply, type Token } from './domain/time-stamps/reply.ts'
import { nonceOf, stampedDigest, timeStampRequest } from './domain/time-stamps/request.ts'
import { openSignedData } from './domain/time-stamps/signed-data.ts'
import { startScene } from './extractor.scene.ts'

process.env.LOG_LEVEL ??= 'silent'
const run = promisify(execFile)
const signedText = 'tidemark-evidence-v1\n{"crawl_id":42}'
const signature = 'D4D+vpOOlW3LePRb8VsEr5jzL7oWgzXIoHPamIDDnkh2RU1gkMarIG4s4F3IuARQUNT+G4XSl2Wz/sMlvt8bCw=='
const digest = stampedDigest(signedText, signature)

/** The reason that each fault has. */
const reasons = {
  ...{ refuses: 'refused', 'not found': 'refused' },
  ...{
    'wrong nonce': 'invalid',
    'wrong imprint': 'invalid',
    'no nonce': 'invalid',
    'no certificates': 'invalid',
  },
  ...{
    'wrong signature': 'invalid',
    'wrong content': 'invalid',
    cut: 'invalid',
    'with a byte more': 'invalid',
  },
  ...{ garbage: 'invalid', empty: 'invalid', 'an endless length': 'invalid' },
  ...{ redirects: 'invalid', 'another type': 'invalid', 'never ends': 'invalid' },
  ...{ 'never begins': 'late', drips: 'late', 'closes the connection': 'unreached' },
} as const satisfies Record<Exclude<Behaviour, 'stamps'>, Unstamped>

async function authorityFor(t: Test, key?: 'ec' | 'rsa'): Promise<TimeStampAuthority> {
  const authority = await startTimeStampAuthority(t.testdir(), key)
  t.teardown(() => authority.close())
  return authority
}

/** Verifies a token as a reader of the evidence does. Rejects if it is wrong. */
async function verifiedBy(caFile: string, dir: string, token: Buffer, stamped: string): Promise<string> {
  const [data, file] = [path.join(dir, 'stamped.txt'), path.join(dir, 'token.der')]
  await writeFile(data, stamped)
  await writeFile(file, token)
  const files = ['-data', data, '-in', file, '-token_in', '-CAfile', caFile]
  return (await run('openssl', ['ts', '-verify', ...files])).stdout
}

/** Returns the reply with one more algorithm of hashes, SHA-256 with these parameters, which no signature covers. */
function withAlgorithm(reply: Buffer, parameters: Buffer): Buffer {
  const outer = new DerReader(reply).enter(tags.sequence)
  const status = outer.next().whole
  const token = outer.enter(tags.sequence)
  const type = token.next().whole
  const data = token.enter(context(0)).enter(tags.sequence)
  const version = data.next().whole
  const sha256 = der(tags.sequence, Buffer.from('0609608648016503040201', 'hex'), parameters)
  const names = der(tags.set, data.take(tags.set), sha256)
  const rest: Buffer[] = []
  while (!data.isAtEnd) rest.push(data.next().whole)
  const changed = der(context(0), der(tags.sequence, version, names, ...rest))
  return der(tags.sequence, status, der(tags.sequence, type, changed))
}

test('A token of an authority', async t => {
  const options = { resolver: createResolver({ servers: [] }), pauseMs: 0 }
  const changed = (bytes: Buffer, at: number) => {
    const copy = Buffer.from(bytes)
    copy[at] = (copy[at] ?? 0) ^ 1
    return copy
  }

  for (const key of ['ec', 'rsa'] as const)
    await t.test(`verifies by OpenSSL, and every change of a byte is found (${key})`, async t => {
      const { url, caFile, requests } = await authorityFor(t, key)
      await using authority = openAuthority({ ...options, url, report: error => t.fail(String(error)) })
      const before = new Date().toISOString()
      const made = await authority.stamp(digest)
      if (typeof made === 'string') return t.fail(made)
      t.match(made, {
        policy: '1.3.6.1.4.1.99999.1',
        serialNumber: /^51a3b2c4d5e6f7[0-9a-f]{2}$/,
        tsa: /O=Tests, CN=Test TSA/,
      })
      t.ok(made.genTime >= before && made.genTime <= new Date().toISOString(), made.genTime)
      const stamped = `${signedText}\n${signature}`
      t.match(await verifiedBy(caFile, t.testdirName, made.token, stamped), /Verification: OK/)
      await t.rejects(verifiedBy(caFile, t.testdirName, made.token, stamped.replace('42', '43')))
      await t.rejects(
        verifiedBy(
          caFile,
          t.testdirName,
          made.token,
          changed(Buffer.from(stamped), stamped.length - 1).toString(),
        ),
      )
      const middle = made.token.indexOf(digest)
      t.ok(middle > 0)
      for (const at of [middle, made.token.length - 1])
        await t.rejects(verifiedBy(caFile, t.testdirName, changed(made.token, at), stamped))
      t.equal(requests.length, 1)
    })

  await t.test('is requested as OpenSSL reads a request', async t => {
    const file = path.join(t.testdir(), 'query.tsq')
    const nonce = nonceOf(Buffer.alloc(8, 0xff))
    await writeFile(file, timeStampRequest({ digest, nonce }))
    const { stdout } = await run('openssl', ['ts', '-query', '-in', file, '-text'])
    t.match(stdout, /Version: 1\nHash Algorithm: sha256\n/)
    t.match(stdout, /Nonce: 0x7FFFFFFFFFFFFFFF\nCertificate required: yes/)
    const shown = [...stdout.matchAll(/^ {4}[0-9a-f]{4} - ((?:[0-9a-f]{2}[ -]){16})/gm)]
    t.equal(shown.map(([, line = '']) => line.replace(/[ -]/g, '')).join(''), digest.toString('hex'))
    for (const random of [Buffer.alloc(8), Buffer.alloc(8, 0xff), randomBytes(8)])
      t.match(nonceOf(random).toString('hex'), /^[4-7][0-9a-f]{15}$/)
  })

  await t.test('is not accepted from an authority that misbehaves, within the limits', async t => {
    const server = await authorityFor(t)
    const reports: string[] = []
    const report = (error: unknown) => reports.push(String((error as Error).cause))
    await using authority = openAuthority({ ...options, url: server.url, report, timeoutMs: 3_000 })
    t.strictSame(Object.keys(reasons).sort(), [...misbehaviours].sort())
    for (const behaviour of misbehaviours) {
      server.behaviour = behaviour
      t.equal(await authority.stamp(digest), reasons[behaviour], behaviour)
    }
    t.equal(reports.length, misbehaviours.length)
    t.match(reports[misbehaviours.indexOf('refuses')], /status 2, failInfo [0-9a-f]+: .*algorithm/)
    t.match(reports[misbehaviours.indexOf('wrong nonce')], /another nonce/)
    t.match(reports[misbehaviours.indexOf('wrong imprint')], /another hash/)
    server.behaviour = 'stamps'
    t.match(await authority.stamp(digest), { policy: String }, 'it is accepted again')
    await server.close()
    t.equal(await authority.stamp(digest), 'unreached')
  })

  await t.test(
    'is not requested for a while after a fault of the connection, and after no other',
    async t => {
      const server = await authorityFor(t)
      const quiet = { ...options, url: server.url, report: () => {}, timeoutMs: 3_000 }
      for (const behaviour of misbehaviours) {
        await using authority = openAuthority({ ...quiet, pauseMs: 60_000 })
        t.equal(authority.paused(), null)
        server.behaviour = behaviour
        const why = await authority.stamp(digest)
        const isOfConnection = why === 'unreached' || why === 'late'
        t.equal(authority.paused(), isOfConnection ? why : null, behaviour)
        server.behaviour = 'stamps'
        t.match(await authority.stamp(digest), { policy: String })
        t.equal(authority.paused(), null, 'a token ends the pause')
      }
      await using patient = openAuthority({ ...quiet, pauseMs: 20 })
      server.behaviour = 'closes the connection'
      t.equal(await patient.stamp(digest), 'unreached')
      await until(() => patient.paused() === null)
    },
  )

  await t.test('of any changed reply is another fault, or has the same facts', async t => {
    const server = await authorityFor(t)
    const wanted = { digest, nonce: nonceOf(randomBytes(8)) }
    const headers = { 'content-type': 'application/timestamp-query' }
    const sent = await fetch(server.url, {
      method: 'POST',
      headers,
      body: new Uint8Array(timeStampRequest(wanted)),
    })
    const reply = Buffer.from(await sent.arrayBuffer())
    const { token: _, ...facts } = readReply(reply, wanted)
    const isSound = (bytes: Buffer) => {
      try {
        const { token: _, ...found } = readReply(bytes, wanted)
        return JSON.stringify(found) === JSON.stringify(facts)
      } catch (error) {
        return error instanceof ReplyFault
      }
    }
    const splice = (at: number, remove: number, insert: Uint8Array) =>
      Buffer.concat([reply.subarray(0, at), insert, reply.subarray(at + remove)])
    fc.assert(
      fc.property(
        fc.nat({ max: reply.length }),
        fc.nat({ max: 4 }),
        fc.uint8Array({ maxLength: 4 }),
        (at, remove, insert) => isSound(splice(at, remove, insert)),
      ),
      { numRuns: sized(3_000, 30_000) },
    )
    fc.assert(fc.property(fc.uint8Array({ maxLength: 500 }), bytes => isSound(Buffer.from(bytes))))
    for (let length = 0; length < reply.length; length++)
      if (!throwsFault(() => readReply(reply.subarray(0, length), wanted))) t.fail(`cut at ${length}`)
    t.ok(isSound(reply))
    const forgedTime = Buffer.concat([digest, Buffer.from('\x02\x01\x01\x18\x0f20200101000001Z', 'latin1')])
    t.throws(() => readReply(withAlgorithm(reply, der(tags.octets, forgedTime)), wanted), {
      name: 'ReplyFault',
    })
    t.match(readReply(withAlgorithm(reply, der(tags.null)), wanted), facts, 'another name is no fault')
    t.throws(() => readReply(reply, { ...wanted, nonce: nonceOf(randomBytes(8)) }), { name: 'ReplyFault' })
    t.throws(() => readReply(reply, { ...wanted, digest: hash('sha256', 'x', 'buffer') }), {
      name: 'ReplyFault',
    })
  })

  await t.test('may have any usual signature', async t => {
    const type = '1.2.840.113549.1.9.16.1.4'
    const dir = t.testdir({ 'content.bin': 'content' })
    const at = (name: string) => path.join(dir, name)
    const pss = ['-keyopt', 'rsa_padding_mode:pss']
    const kinds: [name: string, key: string[], sign: string[]][] = [
      ['RSA', ['rsa:2048'], ['-md', 'sha256']],
      ['RSA with SHA-512', ['rsa:2048'], ['-md', 'sha512']],
      ['RSA-PSS', ['rsa:2048'], ['-md', 'sha256', ...pss]],
      ['RSA-PSS with SHA-384', ['rsa:2048'], ['-md', 'sha384', ...pss]],
      ['P-256', ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'], ['-md', 'sha256']],
      ['P-384', ['ec', '-pkeyopt', 'ec_paramgen_curve:secp384r1'], ['-md', 'sha384']],
    ]
    for (const [name, key, sign] of kinds)
      for (const [use, isFine] of [
        ['timeStamping', true],
        ['serverAuth', false],
      ] as const) {
        await run('openssl', [
          ...['req', '-x509', '-nodes', '-newkey', ...key, '-subj', '/CN=Signer'],
          ...['-addext', `extendedKeyUsage=critical,${use}`, '-keyout', at('key'), '-out', at('cert')],
        ])
        await run('openssl', [
          ...['cms', '-sign', '-cades', '-binary', '-nodetach', '-econtent_type', type, '-outform', 'DER'],
          ...[
            '-signer',
            at('cert'),
            '-inkey',
            at('key'),
            '-in',
            at('content.bin'),
            '-out',
            at('signed'),
            ...sign,
          ],
        ])
        const signed = await readFile(at('signed'))
        const opened = () => openSignedData(signed, type)
        if (isFine) t.match(opened(), { content: Buffer.from('content'), subject: 'CN=Signer' }, name)
        else
          t.throws(opened, { name: 'DerError', message: /certificate of the signer, for time-stamps/ }, name)
        t.throws(() => openSignedData(changed(signed, signed.length - 1), type), { name: 'DerError' }, name)
        t.throws(() => openSignedData(signed, '1.2.3'), { name: 'DerError' }, name)
      }
  })
})

test('Evidence', async t => {
  const server = await authorityFor(t)
  const scene = await startScene()
  t.teardown(() => scene.close())
  const { bus, pool } = scene
  const stop = await scene.start({ EVIDENCE_TSA_URL: server.url })
  const factsHash = hash('sha256', 'facts', 'hex')
  const request = { projectId: 7, runId: 1, factsHash, signedText, signature }
  const send = (more: Partial<typeof request> = {}) =>
    call(bus, stampEvidence, { ...request, ...more }, { timeoutMs: 20_000 })
  const stamped = async (more: Partial<typeof request> = {}): Promise<StampedEvidence> => {
    const { stamped, why } = await send(more)
    if (stamped === null) throw new Error(`not stamped: ${why}`)
    return stamped
  }
  const requestsOf = async (projectId: number): Promise<number> => {
    const sql = 'select requests from content.time_stamp_requests where project_id = $1'
    return (await pool.query(sql, [projectId])).rows[0]?.requests ?? 0
  }
  const count = async () => (await pool.query('select from content.time_stamp')).rowCount
  const isTokenOf = async ({ token, signedText, signature }: StampedEvidence) =>
    verifiedBy(server.caFile, t.testdirName, Buffer.from(token, 'base64'), `${signedText}\n${signature}`)

  await t.test('has one time-stamp, also by several requests at once', async t => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, n) => stamped({ signedText: `${signedText}${n}` })),
    )
    for (const one of made) t.strictSame(one, made[0])
    t.equal(await count(), 1)
    t.match(await isTokenOf(made[0] as StampedEvidence), /Verification: OK/)
    server.behaviour = 'not found'
    t.strictSame(await stamped(), made[0], 'it is stored')
  })

  await t.test('of other facts has another one, and without one it is not stored', async t => {
    t.strictSame(await send({ factsHash: hash('sha256', 'other', 'hex') }), { stamped: null, why: 'refused' })
    t.equal(await count(), 1)
    await stop()
    server.behaviour = 'stamps'
    const again = await scene.start({ EVIDENCE_TSA_URL: server.url })
    const [first, other] = [await stamped(), await stamped({ factsHash: hash('sha256', 'other', 'hex') })]
    t.not(other.token, first.token)
    t.not((await stamped({ runId: 2 })).token, first.token)
    t.equal(await count(), 3)
    await again()
  })

  await t.test('of a project has a hundred time-stamps a day, even if it deletes its runs', async t => {
    const stop = await scene.start({ EVIDENCE_TSA_URL: server.url })
    const projectId = 70
    const sent = server.requests.length
    const requested: { runId: number; why: Unstamped | null }[] = []
    /** Sends requests for other runs, several at once. */
    const some = async (count: number): Promise<(Unstamped | null)[]> => {
      const before = requested.length
      while (requested.length < before + count) {
        const runs = Array.from({ length: 10 }, (_, n) => 1_000 + requested.length + n)
        const answers = await Promise.all(runs.map(runId => send({ projectId, runId })))
        requested.push(...answers.map(({ why }, n) => ({ runId: runs[n] ?? 0, why })))
      }
      return requested.slice(before).map(({ why }) => why)
    }
    t.strictSame(new Set(await some(20)), new Set([null]))
    await pool.query('delete from content.time_stamp where run_id >= 1000')
    server.behaviour = 'not found'
    t.strictSame(new Set(await some(70)), new Set(['refused']))
    server.behaviour = 'stamps'
    const last = await some(30)
    t.equal(last.filter(why => why === 'limited').length, 20)
    t.equal(server.requests.length - sent, 100)
    t.equal(await requestsOf(projectId), maxStampsPerDay)
    const kept = requested.findLast(({ why }) => why === null)
    t.match(await send({ projectId, runId: kept?.runId ?? 0 }), { why: null }, 'stored ones are returned')
    t.match(await send({ projectId: 71, runId: 2_000 }), { why: null }, 'another project has its own')
    await pool.query('update content.time_stamp_requests set day = day - 1 where project_id = $1', [
      projectId,
    ])
    t.match(await send({ projectId, runId: 2_001 }), { why: null }, 'on the next day')
    t.equal(await requestsOf(projectId), 1)
    server.behaviour = 'closes the connection'
    t.strictSame(await send({ projectId, runId: 2_002 }), { stamped: null, why: 'unreached' })
    t.strictSame(await send({ projectId, runId: 2_003 }), { stamped: null, why: 'unreached' }, 'while paused')
    t.equal(await requestsOf(projectId), 1, 'a request that did not arrive does not count')
    server.behaviour = 'stamps'
    await pool.query('delete from content.time_stamp where run_id >= 1000')
    await stop()
  })

  await t.test('keeps its time-stamp when the authority is no longer configured', async t => {
    const bare = await scene.start()
    t.match(await send(), { stamped: { signedText: /^tidemark-evidence-v1\n/ }, why: null })
    t.strictSame(await send({ runId: 3 }), { stamped: null, why: 'off' })
    await bare()
  })

  await t.test('returns what another process has stored first', async t => {
    const stamps = openTimeStamps(pool)
    const token = (text: string): Token & { signedText: string; signature: string } => ({
      ...{
        signedText: text,
        signature,
        genTime: '2026-01-02T03:04:05.678Z',
        policy: '1.2',
        serialNumber: '01',
      },
      ...{ tsa: 'CN=TSA', token: Buffer.from(text) },
    })
    const facts = { runId: 9, factsHash }
    t.equal(await stamps.find(facts), null)
    const kept = await Promise.all(['a', 'b', 'c'].map(text => stamps.keep(facts, token(text))))
    for (const one of kept) t.strictSame(one, kept[0])
    t.strictSame(await stamps.find(facts), kept[0])
  })

  await t.test('is not started with an address that cannot be used', async t => {
    for (const url of [
      'tsa.example.com',
      'ftp://tsa.example.com/',
      'https://u:p@tsa.example.com/',
      'https://a/#b',
    ])
      await t.rejects(
        scene.start({ EVIDENCE_TSA_URL: url }),
        { message: /EVIDENCE_TSA_URL must be an address/ },
        url,
      )
  })
})

function throwsFault(read: () => unknown): boolean {
  try {
    read()
    return false
  } catch (error) {
    return error instanceof ReplyFault
  }
}
