/** Evidence of crawls as an auditor verifies it: by the script of the documents, and by OpenSSL. */
import { execFile } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { refuse } from '@tidemark/bus/refusal'
import { serve } from '@tidemark/bus/rpc'
import type { EvidenceLeaf } from '@tidemark/contracts/http/evidence'
import {
  type StampEvidence,
  type StampEvidenceResponse,
  type StampedEvidence,
  stampEvidence,
} from '@tidemark/contracts/rpc/time-stamp'
import type { RunEvent, SettledPage } from '@tidemark/contracts/run'
import { untilBlocked } from '@tidemark/testing/databases'
import { until } from '@tidemark/testing/until'
import { type Test, test } from 'tap'
import { caller, keyNamed, surroundings } from '../gateway.scene.ts'
import { failed, finished, page, queued, settled, started } from '../read-model/projections/runs.examples.ts'
import { startService } from '../service.ts'

const run = promisify(execFile)
const script = path.join(import.meta.dirname, '../../../docs/verify-evidence.mjs')
/** Runs the script in this process: a process of its own costs fifty times as much. Returns what it prints. */
async function printedBy(args: string[]): Promise<string> {
  const printed: string[] = []
  const print = (line: string) => void printed.push(line)
  const ended = new Error('the script has ended')
  const exit = () => {
    throw ended
  }
  const [{ argv, exit: ownExit }, { log, error }] = [process, console]
  Object.assign(process, { argv: [process.execPath, script, ...args], exit })
  Object.assign(console, { log: print, error: print })
  try {
    await import(`${script}?run=${++runs}`)
  } catch (thrown) {
    if (thrown !== ended) throw thrown
  } finally {
    Object.assign(process, { argv, exit: ownExit })
    Object.assign(console, { log, error })
  }
  return printed.join('\n')
}
/** A module runs once for each URL. */
let runs = 0

const mine = keyNamed('m')
const foreign = keyNamed('f')
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const peer = { address: '2001:db8::7', certificate: sha256('a certificate') }
const bodyOf = (id: number) => `<title>Page ${id}</title>`

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const EVIDENCE_KEY = String(privateKey.export({ type: 'pkcs8', format: 'pem' })).replaceAll('\n', '\\n')
const former = String(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }))

const stampOfAuthority = {
  ...{ genTime: '2026-01-05T10:00:00.123Z', policy: '1.3.6.1.4.1.99999.1', serialNumber: '51a3' },
  tsa: 'O=Tests, CN=Test TSA',
}
/** Returns a value of DER of up to 255 bytes. */
function der(tag: number, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map(part => Buffer.from(part as string, 'latin1')))
  const length = content.length < 0x80 ? [content.length] : [0x81, content.length]
  return Buffer.concat([Buffer.of(tag, ...length), content])
}
const sha256Name = Buffer.from('0609608648016503040201', 'hex')

/** Returns a token without certificates and signers. `parameters` belong to its algorithm of hashes, which is not signed. */
function tokenOf(stamped: string, parameters: (digest: Buffer) => Buffer | string = () => ''): string {
  const digest = Buffer.from(sha256(stamped), 'hex')
  const imprint = der(0x30, der(0x30, sha256Name), der(0x04, digest))
  const time = der(0x18, '20260105100000.123Z')
  const info = der(0x30, '\x02\x01\x01', '\x06\x01\x29', imprint, '\x02\x01\x07', time)
  const content = der(0x30, '\x06\x01\x29', der(0xa0, der(0x04, info)))
  const names = der(0x31, der(0x30, sha256Name, parameters(digest)))
  return der(0x30, '\x06\x01\x29', der(0xa0, der(0x30, '\x02\x01\x03', names, content))).toString('base64')
}
const shownStamp = {
  ...{ gen_time: stampOfAuthority.genTime, policy: stampOfAuthority.policy },
  ...{ serial_number: stampOfAuthority.serialNumber, tsa: stampOfAuthority.tsa },
}

test('The evidence of a crawl', async t => {
  const env = { EVIDENCE_KEY, EVIDENCE_KEYS_OLD: former.replaceAll('\n', '\\n') }
  const around = await surroundings(t, { env })
  around.standIns.addKey(mine, 7)
  around.standIns.addKey(foreign, 8)
  const client = caller(around, mine)
  const { get, append } = client
  const dir = t.testdir()

  let lastPage = 0
  const pagesOf = (count: number): SettledPage[] =>
    Array.from({ length: count }, () => {
      const id = ++lastPage
      return page(id, {
        requestedUrl: id % 5 === 0 ? `https://example.com/old/${id}` : null,
        rawHash: sha256(bodyOf(id)),
        ...(id % 7 === 0 && { url: `https://example.com/ä/${encodeURIComponent('日本')}?"\\${id}` }),
        ...(id % 11 === 0 && { blocked: true as const }),
        ...(id % 3 > 0 && { peer: id % 3 === 1 ? { address: '192.0.2.7' } : peer }),
      })
    })
  async function crawled(id: number, pages: SettledPage[], end: RunEvent | null = finished(pages.length, 1)) {
    await append(id, queued(id), started)
    for (let at = 0; at < pages.length; at += 500) await append(id, settled(...pages.slice(at, at + 500)))
    await append(id, failed(`no${id}`), ...(end ? [end] : []))
    await until(async () => {
      const { json } = await get(`/v1/crawls/${id}`)
      return json.error_count === 1 && (end === null || json.finished_at !== null)
    })
  }
  const ndjson = async (id: number) =>
    (await get(`/v1/crawls/${id}/evidence/leaves?limit=100000&format=ndjson`)).text
  /** Writes the files, runs the script, and returns what it prints. */
  async function verified(keys: object, document: object, leaves?: string, bodies?: string) {
    const files = {
      'keys.json': JSON.stringify(keys),
      'doc.json': JSON.stringify(document),
      'leaves.ndjson': leaves,
    }
    for (const [name, text] of Object.entries(files))
      if (text !== undefined) await writeFile(path.join(dir, name), text)
    const given = ['keys.json', 'doc.json', ...(leaves === undefined ? [] : ['leaves.ndjson'])]
    return printedBy([...given.map(name => path.join(dir, name)), ...(bodies === undefined ? [] : [bodies])])
  }
  const keys = (await get('/v1/evidence-keys', { key: null })).json
  const startGateway = async (t: Test, more: object) => {
    const gateway = await startService({ ...around.env, ...more }, new AbortController().signal)
    t.teardown(() => gateway[Symbol.asyncDispose]())
    return caller({ ...around, url: gateway.url }, mine)
  }
  const stamping = await startGateway(t, { EVIDENCE_TSA_URL: 'http://tsa.example.com/' })

  /** Starts a fake of the extractor, which keeps what it stamps first. */
  function startAuthority(t: Test) {
    const stop = new AbortController()
    const stamped = new Map<string, StampedEvidence>()
    const authority = {
      requests: [] as StampEvidence[],
      answer: async ({
        runId,
        factsHash,
        signedText,
        signature,
      }: StampEvidence): Promise<StampEvidenceResponse> => {
        const name = `${runId} ${factsHash}`
        const token = tokenOf(`${signedText}\n${signature}`)
        const kept = stamped.get(name) ?? { signedText, signature, ...stampOfAuthority, token }
        stamped.set(name, kept)
        return { stamped: kept, why: null }
      },
      stop: () => stop.abort(),
    }
    const answer = async (request: StampEvidence) => {
      authority.requests.push(request)
      return authority.answer(request)
    }
    const serving = serve(around.bus, stampEvidence, answer, { signal: stop.signal, report: () => {} })
    t.teardown(async () => {
      stop.abort()
      await serving
    })
    return authority
  }

  t.test('is signed by a key that everyone can read', async t => {
    t.strictSame(
      keys.keys.map(({ pem }: { pem: string }) => pem),
      [String(publicKey.export({ type: 'spki', format: 'pem' })), former],
    )
    t.match(keys.keys, [{ kty: 'OKP', crv: 'Ed25519', use: 'sig', kid: /^[\w-]{43}$/ }, {}])
  })

  t.test('verifies by the script, with and without bodies, whatever the number of pages', async t => {
    const folder = path.join(dir, 'bodies')
    let id = 100
    for (const count of [0, 1, 2, 3, 64, 1_203]) {
      const pages = pagesOf(count)
      await crawled(++id, pages)
      const { status, json } = await get(`/v1/crawls/${id}/evidence`)
      t.match(
        { status, json },
        {
          status: 200,
          json: { statement: { crawl_id: id, page_count: count, error_count: 1, status: 'done' } },
        },
      )
      const leaves = await ndjson(id)
      await mkdir(folder, { recursive: true })
      for (const { id } of pages.slice(0, 2)) await writeFile(path.join(folder, String(id)), bodyOf(id))
      const output = await verified(keys, json, leaves, folder)
      t.match(output, new RegExp(`^VALID: crawl ${id} with ${count} pages, .* ${Math.min(2, count)} bodies$`))
      for (const { id: pageId } of pages.slice(-2)) {
        const proof = (await get(`/v1/pages/${pageId}/evidence`)).json
        t.match(await verified(keys, proof), new RegExp(`^VALID: page ${pageId} of crawl ${id}, 200 http`))
      }
      if (count === 0) continue
      await writeFile(path.join(folder, String(pages[0]?.id)), `${bodyOf(1)} `)
      t.match(await verified(keys, json, leaves, folder), /NOT VALID: the body of page/)
      await rm(folder, { recursive: true })
      t.match(await verified(keys, json, leaves, folder), /NOT VALID: .* is not a folder of bodies/)
      await mkdir(folder)
      await writeFile(path.join(folder, 'stray'), bodyOf(1))
      t.match(await verified(keys, json, leaves, folder), /NOT VALID: .* belongs to no page/)
      await rm(folder, { recursive: true })
    }
  })

  t.test('verifies by the script as a process, which fails otherwise', async t => {
    const { json } = await get('/v1/crawls/104/evidence')
    t.match(await verified(keys, json, await ndjson(104)), /^VALID/)
    const args = [script, ...['keys.json', 'doc.json', 'leaves.ndjson'].map(name => path.join(dir, name))]
    t.match(await run(process.execPath, args), { stdout: /^VALID: crawl 104 with 3 pages/, stderr: '' })
    const missing = [...args, path.join(dir, 'none')]
    await t.rejects(run(process.execPath, missing), { code: 1, stdout: '', stderr: /^NOT VALID: / })
  })

  t.test('verifies by OpenSSL', async t => {
    const { signed_text, signature } = (await get('/v1/crawls/105/evidence')).json
    const at = (name: string) => path.join(dir, name)
    await writeFile(at('key.pem'), keys.keys[0].pem)
    await writeFile(at('signature'), Buffer.from(signature, 'base64'))
    const openssl = async (text: string) => {
      await writeFile(at('signed.txt'), text)
      const files = ['-inkey', at('key.pem'), '-sigfile', at('signature'), '-in', at('signed.txt')]
      return run('openssl', ['pkeyutl', '-verify', '-rawin', '-pubin', ...files])
    }
    t.match((await openssl(signed_text)).stdout, /Signature Verified Successfully/)
    await t.rejects(openssl(signed_text.replace('"page_count":64', '"page_count":65')))
  })

  t.test('shows every change of a byte', async t => {
    const { json } = await get('/v1/crawls/104/evidence')
    const leaves = await ndjson(104)
    const lines = leaves.trimEnd().split('\n')
    const change = (changes: object) => ({ ...json, statement: { ...json.statement, ...changes } })
    /** With a text that belongs to the changed statement. */
    const consistent = (changes: object) => {
      const { statement } = change(changes)
      return { ...json, statement, signed_text: `tidemark-evidence-v1\n${JSON.stringify(statement)}` }
    }
    const root = json.statement.root.replace(/^./, (digit: string) => (digit === '0' ? '1' : '0'))
    const signature = json.signature.replace(/^./, (letter: string) => (letter === 'A' ? 'B' : 'A'))
    const [first = '', second = '', third = ''] = lines
    const wrong: [string, object, string][] = [
      ['a leaf', json, leaves.replace('"status":200', '"status":201')],
      ['a URL', json, leaves.replace('example.com', 'example.net')],
      ['an address', json, leaves.replace('2001:db8::7', '2001:db8::8')],
      ['a certificate', json, leaves.replace(`"certificate":"${peer.certificate}",`, '')],
      ['a hash', json, leaves.replace(/"raw_hash":"./, '"raw_hash":"g')],
      ['a space', json, leaves.replace('{', '{ ')],
      ['the order', json, [second, first, third].join('\n')],
      ['a leaf less', json, [first, second].join('\n')],
      ['a leaf twice', json, [...lines, third].join('\n')],
      ['the root', change({ root }), leaves],
      ['the root and its text', consistent({ root }), leaves],
      ['the count', consistent({ page_count: 4 }), leaves],
      ['the end', consistent({ finished_at: '2026-01-02T03:04:11.000Z' }), leaves],
      ['the time', consistent({ signed_at: '2020-01-02T03:04:11.000Z' }), leaves],
      ['the text', { ...json, signed_text: `${json.signed_text} ` }, leaves],
      ['the signature', { ...json, signature }, leaves],
      ['another key', consistent({ key_id: keys.keys[1].kid }), leaves],
    ]
    t.equal(lines.length, 3)
    for (const [what, , list] of wrong.slice(0, 6)) t.not(list, leaves, `${what} is in the leaves`)
    t.match(await verified(keys, json, leaves), /^VALID/)
    for (const [what, document, list] of wrong)
      t.match(await verified(keys, document, list), /^NOT VALID/, what)
    const [{ x: _, ...rest }] = keys.keys
    const forged = { keys: [{ ...rest, x: keys.keys[1].x }] }
    t.match(await verified(forged, json, leaves), /^NOT VALID: the id of the key/)
    t.match(await verified({ keys: [] }, json, leaves), /^NOT VALID: keys.json has no key/)

    const proof = (await get(`/v1/pages/${JSON.parse(second).id}/evidence`)).json
    t.equal(proof.leaf_index, 1)
    t.match(await verified(keys, proof, 'forged', dir), /^NOT VALID: this is the proof of one page/)
    for (const changes of [
      { leaf: JSON.parse(first) },
      { leaf_index: 0 },
      { leaf_index: 3 },
      { audit_path: proof.audit_path.slice(1) },
      { audit_path: proof.audit_path.toReversed() },
      { audit_path: [...proof.audit_path, proof.audit_path[0]] },
      { evidence: change({ root }) },
    ])
      t.match(await verified(keys, { ...proof, ...changes }), /^NOT VALID/, Object.keys(changes).join())
  })

  t.test('lists its leaves like the pages, in parts and in every format', async t => {
    const lines = (await ndjson(106)).trimEnd().split('\n')
    const { items } = (await get('/v1/crawls/106/evidence/leaves?limit=100000')).json
    t.strictSame(
      items,
      lines.map(line => JSON.parse(line)),
    )
    t.equal(items.length, 1_203)
    const { items: pages } = (await get('/v1/crawls/106/pages?limit=1000&fields=raw_hash,content_hash')).json
    for (const [n, { id, url, status, bytes, fetched_at, raw_hash, content_hash }] of pages.entries())
      t.match(items[n], { id, url, status, bytes, fetched_at, raw_hash, content_hash })
    const peers = items.map(({ address, certificate }: EvidenceLeaf) => ({ address, certificate }))
    t.ok(peers.some((known: object) => isDeepStrictEqual(known, peer)))
    t.ok(peers.some(({ address, certificate }: EvidenceLeaf) => address === '192.0.2.7' && !certificate))
    t.ok(items.some((leaf: EvidenceLeaf) => !('address' in leaf) && !('certificate' in leaf)))
    const second = await get('/v1/crawls/106/evidence/leaves?limit=600&offset=600')
    t.strictSame(second.json, { items: items.slice(600, 1_200), next_offset: 1_200 })
    const last = await get('/v1/crawls/106/evidence/leaves?offset=1200')
    t.strictSame(last.json, { items: items.slice(1_200), next_offset: null })
    const csv = await get('/v1/crawls/106/evidence/leaves?limit=2&format=csv')
    t.match(
      csv.text,
      /^address,blocked,bytes,certificate,content_hash,fetched_at,id,raw_hash,rendered,requested_url,status,url\r\n/,
    )
    t.equal(csv.headers.get('x-next-offset'), '2')
    const beyond = await get(`/v1/crawls/106/evidence/leaves?format=ndjson&offset=${'9'.repeat(25)}`)
    t.match(beyond, { status: 200, text: '' })
  })

  t.test('is computed for a few crawls of a project at once', async t => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => get('/v1/crawls/106/evidence')))
    const refused = answers.filter(({ status }) => status !== 200)
    t.ok(refused.length > 0, `${refused.length} were refused`)
    for (const answer of refused)
      t.match(answer, {
        status: 429,
        json: { error: { code: 'too_many_requests', reason: 'content_streams' } },
      })
    t.equal((await get('/v1/crawls/106/evidence')).status, 200, 'the slots are free again')
  })

  t.test('exists only for own crawls that have ended', async t => {
    await crawled(200, pagesOf(1), null)
    const running = lastPage
    const active = {
      status: 409,
      json: { error: { code: 'conflict', reason: 'run_active', message: /has not ended/ } },
    }
    const paths = [
      '/v1/crawls/200/evidence',
      '/v1/crawls/200/evidence/leaves',
      `/v1/pages/${running}/evidence`,
    ]
    for (const path of paths) {
      t.match(await get(path), active, path)
      t.match(await get(path, { key: foreign }), { status: 404 }, path)
      t.match(await get(path, { key: null }), { status: 401 }, path)
    }
    await append(200, finished(1, 1))
    await until(async () => (await get(paths[0] ?? '')).status === 200)
    for (const path of paths) t.match(await get(path), { status: 200 }, path)
    for (const path of [
      '/v1/crawls/999/evidence',
      '/v1/crawls/999/evidence/leaves',
      '/v1/pages/999999/evidence',
    ])
      t.match(await get(path), { status: 404 }, path)
    const deleted = { type: 'RunDeleted', data: { projectId: 7, billedPages: 1 } }
    await append(200, deleted)
    await until(async () => (await get(paths[0] ?? '')).status === 404)
    for (const path of paths) t.match(await get(path), { status: 404 }, path)
  })

  t.test('needs a key of the installation', async t => {
    const bare = await startGateway(t, { EVIDENCE_KEY: '' })
    for (const path of ['/v1/crawls/105/evidence', '/v1/pages/1/evidence'])
      t.match(await bare.get(path), {
        status: 503,
        json: { error: { code: 'not_configured', message: /EVIDENCE_KEY/ } },
      })
    t.match(await bare.get('/v1/crawls/105/evidence/leaves'), { status: 200 })
    const left = (await bare.get('/v1/evidence-keys')).json
    t.strictSame(left.keys, keys.keys.slice(1))
  })

  t.test('has no time-stamp without an authority', async t => {
    const { json, headers } = await get('/v1/crawls/105/evidence')
    t.notOk('timestamp' in json)
    t.notOk('warnings' in json)
    t.equal(headers.get('x-warnings'), null)
  })

  t.test('with an authority is the same each time, with its time-stamp', async t => {
    const authority = startAuthority(t)
    const first = await stamping.get('/v1/crawls/104/evidence')
    t.match(first, {
      status: 200,
      json: { statement: { crawl_id: 104 }, timestamp: { ...shownStamp, token: /^[\w+/]{100,}=*$/ } },
    })
    t.notOk('warnings' in first.json)
    const leaves = await ndjson(104)
    t.match(
      await verified(keys, first.json, leaves),
      /^VALID: crawl 104 with 3 pages.*\nIts time-stamp of 2026-01-05T10:00:00\.123Z is not verified/,
    )
    const foreign = { ...first.json, timestamp: { ...first.json.timestamp, token: 'AQID' } }
    t.match(await verified(keys, foreign, leaves), /^NOT VALID: the time-stamp is cut/)
    const ofAnother = { ...first.json.timestamp, token: tokenOf('another text') }
    t.match(
      await verified(keys, { ...first.json, timestamp: ofAnother }, leaves),
      /^NOT VALID: the time-stamp is of another text/,
    )
    const earlier = { ...first.json.timestamp, gen_time: '2019-01-05T10:00:00.123Z' }
    const backdated = await verified(keys, { ...first.json, timestamp: earlier }, leaves)
    t.match(backdated, /^NOT VALID: gen_time is not the time of the token, 2026-01-05T10:00:00\.123Z/)
    const { signed_text, signature } = first.json
    const forged = tokenOf(`${signed_text}\n${signature}`, digest =>
      der(0x04, digest, '\x02\x01\x01', der(0x18, '20190105100000.123Z')),
    )
    const inside = await verified(keys, { ...first.json, timestamp: { ...earlier, token: forged } }, leaves)
    t.match(inside, /^NOT VALID: gen_time is not the time of the token, 2026/, 'a time that is not signed')
    const again = await stamping.get('/v1/crawls/104/evidence')
    t.strictSame(again.json, first.json)
    t.equal(again.headers.get('etag'), first.headers.get('etag'))
    const { id } = JSON.parse(leaves.split('\n')[0] ?? '')
    const proof = (await stamping.get(`/v1/pages/${id}/evidence`)).json
    t.strictSame(proof.evidence, first.json)
    t.match(await verified(keys, proof), /^VALID/)
    t.match(authority.requests, [{ projectId: 7, runId: 104 }, {}, {}])
    t.equal(new Set(authority.requests.map(({ factsHash }) => factsHash)).size, 1)
    t.equal(new Set(authority.requests.map(({ signedText }) => signedText)).size, 3, 'each is signed now')
    t.equal((await stamping.get('/v1/crawls/105/evidence')).json.statement.crawl_id, 105)
    t.equal(new Set(authority.requests.map(({ factsHash }) => factsHash)).size, 2)
  })

  t.test('of a crawl that was retried has another time-stamp', async t => {
    const authority = startAuthority(t)
    await crawled(300, pagesOf(2))
    await stamping.get('/v1/crawls/300/evidence')
    const at = '2026-02-03T04:05:06.000Z'
    await around.pool.query('update read.run set finished_at = $1 where id = 300', [at])
    const { json } = await stamping.get('/v1/crawls/300/evidence')
    t.equal(json.statement.finished_at, at)
    t.equal(new Set(authority.requests.map(({ factsHash }) => factsHash)).size, 2)
  })

  t.test('is returned without a time-stamp if the authority gives no token, with the reason', async t => {
    const authority = startAuthority(t)
    const reasons: [NonNullable<StampEvidenceResponse['why']>, RegExp][] = [
      ['off', /extractor .* EVIDENCE_TSA_URL/],
      ['unreached', /could not be reached/],
      ['late', /did not respond in time/],
      ['refused', /refused the request/],
      ['invalid', /invalid response/],
      ['limited', /has used its 100 time-stamps of this UTC day\. .* after midnight UTC/],
    ]
    const leaves = await ndjson(104)
    for (const [why, message] of reasons) {
      authority.answer = async () => ({ stamped: null, why })
      const { status, json, headers } = await stamping.get('/v1/crawls/104/evidence')
      t.match({ status, json }, { status: 200, json: { timestamp: null, warnings: [message] } }, why)
      t.match(headers.get('x-warnings'), message)
      t.match(await verified(keys, json, leaves), /^VALID/)
    }
    const { id } = JSON.parse(leaves.split('\n')[0] ?? '')
    t.match((await stamping.get(`/v1/pages/${id}/evidence`)).json, {
      evidence: { timestamp: null },
      warnings: [/100 time-stamps of this UTC day/],
    })
    authority.answer = async () => {
      throw refuse('unavailable', { message: 'Away.' })
    }
    const unavailable = { status: 200, json: { timestamp: null, warnings: [/not available now/] } }
    t.match(await stamping.get('/v1/crawls/104/evidence'), unavailable)
    authority.stop()
    await until(async () => (await stamping.get('/v1/crawls/104/evidence')).json.warnings !== undefined)
    t.match(await stamping.get('/v1/crawls/104/evidence'), unavailable, 'without an extractor')
  })

  t.test('of a crawl without pages is not stamped', async t => {
    const authority = startAuthority(t)
    await crawled(302, [])
    t.match(await stamping.get('/v1/crawls/302/evidence'), {
      status: 200,
      json: {
        statement: { crawl_id: 302, page_count: 0 },
        timestamp: null,
        warnings: [/stored no pages, so there is nothing to prove/],
      },
    })
    t.strictSame(authority.requests, [])
  })

  t.test('is 404 if the crawl is deleted while its time-stamp is made', async t => {
    const authority = startAuthority(t)
    await crawled(301, pagesOf(1))
    const { answer } = authority
    authority.answer = async request => {
      await around.pool.query('delete from read.run where id = 301')
      return answer(request)
    }
    t.match(await stamping.get('/v1/crawls/301/evidence'), { status: 404 })
  })

  t.test('has no leaves of a crawl that is deleted while they are read', async t => {
    /** Returns the response to a request that has found its crawl, which is deleted before any leaf is read. */
    async function readDuringDeletion(id: number, query: string) {
      await crawled(id, pagesOf(3))
      const deletion = await around.pool.connect()
      try {
        await deletion.query('begin; lock table read.page in access exclusive mode')
        const reading = get(`/v1/crawls/${id}/evidence/leaves?${query}`)
        await untilBlocked(deletion, 'read.page')
        await deletion.query(`delete from read.run where id = ${id}; commit`)
        return await reading.catch(() => 'broken off' as const)
      } finally {
        deletion.release(true)
      }
    }
    for (const [n, query] of ['', 'format=ndjson', 'format=csv', 'format=ndjson&limit=1001'].entries())
      t.match(await readDuringDeletion(310 + n, query), { status: 404 }, query)
    for (const [n, query] of ['limit=1001', 'format=csv&limit=1001'].entries())
      t.equal(await readDuringDeletion(320 + n, query), 'broken off', query)
  })

  t.test('is not started with a key that cannot be used', async t => {
    const secret = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const wrong: [object, RegExp][] = [
      [{ EVIDENCE_KEY: 'abc' }, /EVIDENCE_KEY must be an Ed25519 private key/],
      [{ EVIDENCE_KEYS_OLD: 'abc' }, /EVIDENCE_KEYS_OLD must be Ed25519 public keys/],
      [{ EVIDENCE_KEYS_OLD: secret.replaceAll('\n', '\\n') }, /no private keys/],
      [{ EVIDENCE_KEYS_OLD: former + former }, /must be Ed25519 public keys/],
      [{ EVIDENCE_KEYS_OLD: former + secret }, /no private keys/],
    ]
    for (const [one, message] of wrong)
      await t.rejects(startService({ ...around.env, ...one }, new AbortController().signal), { message })
  })
})
