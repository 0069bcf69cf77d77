/**
 * A Time-Stamp Authority (RFC 3161) for tests: OpenSSL makes its tokens, behind an HTTP server that can misbehave. Its
 * keys are new at each start.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Changes of the request, by the name of the fault that the token for the changed request has. */
const changedRequests = {
  'wrong nonce': request => flipped(request, request.length - 4),
  'wrong imprint': request => flipped(request, request.indexOf(digestOfSha256) + digestOfSha256.length),
  'no nonce': request =>
    shortened(Buffer.concat([request.subarray(0, -nonceBytes - 3), request.subarray(-3)])),
  'no certificates': request => shortened(request.subarray(0, -3)),
} as const satisfies Record<string, (request: Buffer) => Buffer>

/** Changes of a valid reply, by the name of the fault. */
const changedReplies = {
  'wrong signature': reply => flipped(reply, reply.length - 1),
  'wrong content': reply => flipped(reply, reply.lastIndexOf(serialsBeginWith)),
  cut: reply => reply.subarray(0, -1),
  'with a byte more': reply => Buffer.concat([reply, Buffer.of(0)]),
  garbage: () => randomBytes(2_000),
  empty: () => Buffer.alloc(0),
  'an endless length': () => Buffer.from('30847fffffff30', 'hex'),
} as const satisfies Record<string, (reply: Buffer) => Buffer>

/** HTTP responses without a complete reply of the right type. */
const otherAnswers = {
  'not found': response => response.writeHead(404).end(),
  redirects: response => response.writeHead(307, { location: '/elsewhere' }).end(),
  'another type': response => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome'),
  'never ends': response => {
    response.writeHead(200, { 'content-type': replyType })
    const more = () => void response.write(Buffer.alloc(16_384, 0x30), error => error ?? setImmediate(more))
    more()
  },
  'never begins': () => {},
  drips: response => {
    response.writeHead(200, { 'content-type': replyType })
    const timer = setInterval(() => response.write(Buffer.of(0x30)), 20)
    response.once('close', () => clearInterval(timer))
  },
  'closes the connection': response => response.destroy(),
} as const satisfies Record<string, (response: http.ServerResponse) => void>

export type Behaviour =
  | 'stamps'
  | 'refuses'
  | keyof typeof changedRequests
  | keyof typeof changedReplies
  | keyof typeof otherAnswers

/** All names but `stamps`. */
export const misbehaviours: readonly Exclude<Behaviour, 'stamps'>[] = [
  'refuses',
  ...(Object.keys(changedRequests) as (keyof typeof changedRequests)[]),
  ...(Object.keys(changedReplies) as (keyof typeof changedReplies)[]),
  ...(Object.keys(otherAnswers) as (keyof typeof otherAnswers)[]),
]

export type TimeStampAuthority = {
  url: string
  /** The certificate that verifies the tokens, for `openssl ts -verify -CAfile`. */
  caFile: string
  /** The behaviour from now on. */
  behaviour: Behaviour
  /** The requests that it received. */
  readonly requests: readonly Buffer[]
  close(): Promise<void>
}

const queryType = 'application/timestamp-query'
const replyType = 'application/timestamp-reply'
const nonceBytes = 2 + 8
/** OCTET STRING of 32 bytes. */
const digestOfSha256 = Buffer.of(0x04, 0x20)
/** Each serial number begins with these bytes: OpenSSL counts upwards from them. */
const serialsBeginWith = Buffer.from('51a3b2c4d5e6f7', 'hex')

/** The parameters of `openssl req -newkey` by kind of key. */
const keys = {
  ec: ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  rsa: ['rsa:2048'],
} as const

/**
 * Starts the authority on loopback.
 * @param dir an empty folder for its files
 */
export async function startTimeStampAuthority(
  dir: string,
  key: keyof typeof keys = 'ec',
): Promise<TimeStampAuthority> {
  await makeCertificates(dir, keys[key])
  const requests: Buffer[] = []
  let last: Promise<unknown> = Promise.resolve()
  /** Makes the replies one after the other, because OpenSSL counts its serial numbers in a file. */
  const reply = (request: Buffer): Promise<Buffer> => {
    const made = last.then(() => replyOf(dir, request))
    last = made.catch(() => {})
    return made
  }
  const refusal = async () => {
    const query = path.join(dir, 'refused.tsq')
    await run('openssl', ['ts', '-query', '-digest', '00'.repeat(64), '-sha512', '-out', query])
    return reply(await fs.readFile(query))
  }
  const server = http.createServer(async (request, response) => {
    const body = await buffer(request)
    requests.push(body)
    const { behaviour } = authority
    const isQuery = request.method === 'POST' && request.headers['content-type'] === queryType
    if (!isQuery) return void response.writeHead(415).end()
    const answer = named(otherAnswers, behaviour)
    if (answer !== undefined) return answer(response)
    const changed = named(changedRequests, behaviour)?.(body) ?? body
    const made = behaviour === 'refuses' ? await refusal() : await reply(changed)
    const sent = named(changedReplies, behaviour)?.(made) ?? made
    response.writeHead(200, { 'content-type': replyType }).end(sent)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const authority: TimeStampAuthority = {
    url: `http://127.0.0.1:${port}/tsr`,
    caFile: path.join(dir, 'ca.pem'),
    behaviour: 'stamps',
    requests,
    async close() {
      server.close()
      server.closeAllConnections()
      await last
    },
  }
  return authority
}

const named = <Value>(table: Record<string, Value>, name: string): Value | undefined => table[name]

async function makeCertificates(dir: string, key: readonly string[]): Promise<void> {
  const at = (name: string) => path.join(dir, name)
  await fs.writeFile(at('openssl.cnf'), configurationIn(dir))
  await fs.writeFile(at('serial'), `${serialsBeginWith.toString('hex')}01\n`)
  const make = (name: string, subject: string, ...more: string[]) =>
    run('openssl', [
      ...['req', '-x509', '-config', at('openssl.cnf'), '-days', '30', '-nodes', '-newkey', ...key],
      ...['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`), '-subj', subject, ...more],
    ])
  await make('ca', '/CN=Test CA', '-addext', 'basicConstraints=critical,CA:true')
  await make(
    ...(['tsa', '/O=Tests/CN=Test TSA', '-CA', at('ca.pem'), '-CAkey', at('ca.key')] as const),
    ...['-addext', 'extendedKeyUsage=critical,timeStamping'],
  )
}

async function replyOf(dir: string, request: Buffer): Promise<Buffer> {
  const [query, reply] = [path.join(dir, 'query.tsq'), path.join(dir, 'reply.tsr')]
  await fs.writeFile(query, request)
  await run('openssl', [
    ...['ts', '-reply', '-config', path.join(dir, 'openssl.cnf')],
    ...['-queryfile', query, '-out', reply],
  ])
  return fs.readFile(reply)
}

const configurationIn = (dir: string): string => `
[ req ]
distinguished_name = name
[ name ]
[ tsa ]
default_tsa = authority
[ authority ]
serial = ${dir}/serial
signer_cert = ${dir}/tsa.pem
signer_key = ${dir}/tsa.key
certs = ${dir}/ca.pem
signer_digest = sha256
default_policy = 1.3.6.1.4.1.99999.1
digests = sha256
accuracy = secs:1, millisecs:500
ordering = yes
tsa_name = yes
clock_precision_digits = 3
ess_cert_id_alg = sha256
`

/** Returns the bytes with one changed. */
function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

/** Writes the length of a short sequence that has lost bytes. */
function shortened(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes)
  changed[1] = bytes.length - 2
  return changed
}
