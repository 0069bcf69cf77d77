#!/usr/bin/env node
// Verifies evidence of a crawl with Node alone, without a network and without Tidemark. evidence.md describes the format.
//   node verify-evidence.mjs keys.json evidence.json leaves.ndjson [BODIES]     a whole crawl
//   node verify-evidence.mjs keys.json page-evidence.json [BODIES]              one page
// BODIES is a folder with stored bodies, each in a file that is named by the id of its page. The output names the verified part:
// a whole crawl, or one page with its URL and hash. A time-stamp is verified by OpenSSL:
//   node verify-evidence.mjs --timestamp evidence.json             writes stamped.txt and token.der
//   openssl ts -verify -data stamped.txt -in token.der -token_in -CAfile AUTHORITY.pem
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts.map(part => Buffer.from(part)))).digest()
const leafHash = text => sha256([0], text)
const nodeHash = (left, right) => sha256([1], left, right)
const canonical = object => JSON.stringify(object, Object.keys(object).sort())
const check = (isTrue, fault) => isTrue || fail(fault)
const fail = fault => {
  console.error(`NOT VALID: ${fault}`)
  process.exit(1)
}

/** RFC 9162, 2.1.1 */
function rootOf(hashes) {
  if (hashes.length < 2) return hashes[0] ?? sha256()
  const middle = 2 ** Math.floor(Math.log2(hashes.length - 1))
  return nodeHash(rootOf(hashes.slice(0, middle)), rootOf(hashes.slice(middle)))
}

/** RFC 9162, 2.1.3.2. Undefined if the path does not have the length of this position. */
function rootByPath(leaf, index, size, path) {
  if (size === 1) return path.length === 0 && index === 0 ? leaf : undefined
  const middle = 2 ** Math.floor(Math.log2(size - 1))
  const [last, below] = [path.at(-1), path.slice(0, -1)]
  if (last === undefined || index >= size) return undefined
  const isLeft = index < middle
  const inner = isLeft ? rootByPath(leaf, index, middle, below) : rootByPath(leaf, index - middle, size - middle, below)
  return inner && (isLeft ? nodeHash(inner, last) : nodeHash(last, inner))
}

function assertSigned({ statement, signed_text, signature }, { keys }) {
  check(signed_text === `tidemark-evidence-v1\n${canonical(statement)}`, 'the signed text is not that of the statement')
  const jwk = keys.find(({ kid }) => kid === statement.key_id)
  check(jwk, `keys.json has no key ${statement.key_id}`)
  const { crv, kty, x } = jwk
  check(sha256(canonical({ crv, kty, x })).toString('base64url') === jwk.kid, 'the id of the key is not its thumbprint')
  const key = createPublicKey({ key: { crv, kty, x }, format: 'jwk' })
  check(verify(null, Buffer.from(signed_text), key, Buffer.from(signature, 'base64')), 'the signature is wrong')
}

/** Returns what the time-stamp covers, its token, and the time in it. OpenSSL verifies the token itself. */
function stampOf({ signed_text, signature, timestamp }) {
  const [stamped, token] = [`${signed_text}\n${signature}`, Buffer.from(timestamp.token, 'base64')]
  const { imprint, time } = infoOf(token)
  check(sha256(stamped).equals(imprint), 'the time-stamp is of another text')
  check(Date.parse(timestamp.gen_time) === Date.parse(time), `gen_time is not the time of the token, ${time}`)
  return { stamped, token, time }
}

/** Reads the signed part of a token: CMS by RFC 5652, with a TSTInfo by RFC 3161, 2.4.2. The other parts are not signed. */
function infoOf(token) {
  const [, data] = partsOf(value(partsOf(token)[0], 0x30))
  const [, , content] = partsOf(value(partsOf(value(data, 0xa0))[0], 0x30))
  const [, info] = partsOf(value(content, 0x30))
  const [, , digest, , time] = partsOf(value(partsOf(value(partsOf(value(info, 0xa0))[0], 0x04))[0], 0x30))
  const [, imprint] = partsOf(value(digest, 0x30))
  const text = value(time, 0x18).toString('latin1').replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:$6')
  return { imprint: value(imprint, 0x04), time: text }
}

const value = (part, tag) => (check(part?.tag === tag, 'the time-stamp has another structure'), part.value)

/** The values of DER (X.690) that follow each other. */
function partsOf(bytes) {
  const parts = []
  for (let end = 0; end < bytes.length; ) {
    const more = bytes[end + 1] > 0x80 ? bytes[end + 1] - 0x80 : 0
    const start = end + 2 + more
    check(start <= bytes.length && more <= 4 && bytes[end + 1] !== 0x80, 'the time-stamp is not DER')
    const tag = bytes[end]
    end = start + (more ? bytes.readUIntBE(start - more, more) : bytes[end + 1])
    check(end <= bytes.length, 'the time-stamp is cut')
    parts.push({ tag, value: bytes.subarray(start, end) })
  }
  return parts
}

function writeStamp(document) {
  const evidence = document.evidence ?? document
  check(evidence.timestamp, 'the evidence has no time-stamp')
  const { stamped, token } = stampOf(evidence)
  writeFileSync('stamped.txt', stamped)
  writeFileSync('token.der', token)
  process.exit()
}

function assertBodies(leaves, folder) {
  check(statSync(folder, { throwIfNoEntry: false })?.isDirectory(), `${folder} is not a folder of bodies`)
  const hashes = new Map(leaves.map(({ id, raw_hash }) => [String(id), raw_hash]))
  const names = readdirSync(folder)
  for (const name of names) {
    check(hashes.has(name), `${folder}/${name} belongs to no page of the evidence`)
    check(sha256(readFileSync(`${folder}/${name}`)).toString('hex') === hashes.get(name), `the body of page ${name} is another one`)
  }
  return names.length
}

const read = path => readFileSync(path, 'utf8')
if (process.argv[2] === '--timestamp') writeStamp(JSON.parse(read(process.argv[3])))
const [keys, document] = process.argv.slice(2, 4).map(path => JSON.parse(read(path)))
const evidence = document.evidence ?? document
const isPage = document.leaf !== undefined
const [listed, folder, surplus] = isPage ? [null, ...process.argv.slice(4)] : process.argv.slice(4)
check(surplus === undefined, isPage ? 'this is the proof of one page, which has no file of leaves' : `${surplus} is one argument too many`)
const lines = isPage ? [canonical(document.leaf)] : read(listed).split('\n').filter(Boolean)
const hashes = lines.map(leafHash)
const { crawl_id, key_id, page_count, root } = evidence.statement
assertSigned(evidence, keys)
const stamp = evidence.timestamp ? stampOf(evidence) : null
if (isPage) {
  const path = document.audit_path.map(hex => Buffer.from(hex, 'hex'))
  const found = rootByPath(hashes[0], document.leaf_index, page_count, path)
  check(found?.toString('hex') === root, 'the page is not at this position of the tree')
} else {
  check(hashes.length === page_count, `there are ${hashes.length} leaves, and the statement counts ${page_count}`)
  check(rootOf(hashes).toString('hex') === root, 'the leaves have another root')
}
const leaves = lines.map(line => JSON.parse(line))
const bodies = folder === undefined ? 0 : assertBodies(leaves, folder)
const [{ id, status, url, raw_hash } = {}] = leaves
const what = isPage ? `page ${id} of crawl ${crawl_id}, ${status} ${url}, raw_hash ${raw_hash}` : `crawl ${crawl_id} with ${page_count} pages`
console.log(`VALID: ${what}, key ${key_id}, ${bodies} bodies`)
if (stamp) console.log(`Its time-stamp of ${stamp.time} is not verified: run this with --timestamp, then openssl ts -verify`)
