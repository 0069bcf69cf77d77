/**
 * Performs handshakes with proxies: CONNECT (RFC 9110, 9.3.6), or SOCKS 5 (RFC 1928) with a login by RFC 1929. Both
 * request an address, never a name, so the proxy has nothing to resolve.
 */
import ipaddr from 'ipaddr.js'
import type { ByteReader } from '../byte-reader.ts'
import type { ProxyServer } from '../proxy.ts'
import { ProxyRefusal } from './proxy-refusal.ts'

/** The requested address and port, with the login of the proxy. */
export type Wanted = { address: string; port: number; login: ProxyServer['login'] }

/** Resolves when the connection to the target is established. @throws ProxyRefusal, BytesMissing */
export type Handshake = (wanted: Wanted, send: (bytes: Buffer) => void, read: ByteReader) => Promise<void>

const headBytes = 16_384

/** Sends CONNECT, with the login as `Basic`. */
export const connectByHttp: Handshake = async ({ address, port, login }, send, read) => {
  const authority = `${address.includes(':') ? `[${address}]` : address}:${port}`
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
  if (login) {
    const basic = Buffer.from(`${login.user}:${login.password}`).toString('base64')
    lines.push(`Proxy-Authorization: Basic ${basic}`)
  }
  send(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`))
  const head = await read.takeThrough('\r\n\r\n', headBytes)
  const [, code] = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |\r)/.exec(head.toString('latin1')) ?? []
  if (code === undefined) throw new ProxyRefusal('broken', 'it does not speak HTTP')
  const status = Number(code)
  if (status === 407) throw new ProxyRefusal('login', loginFault(login, '407'))
  const refused = `it refused CONNECT to port ${port} (${status})`
  if (status >= 500) throw new ProxyRefusal('target', refused)
  if (status === 405) throw new ProxyRefusal('broken', 'it does not support CONNECT (405)')
  if (status === 429) throw new ProxyRefusal('busy', refused)
  // Also 402: providers send it for a used-up account, and others for a target that the account may not reach.
  if (status < 200 || status > 299) throw new ProxyRefusal('policy', refused)
}

const version = 5
const methods = { none: 0, password: 2, refused: 255 } as const
const loginVersion = 1
const connectCommand = 1
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const

/** Meanings of the reply codes (RFC 1928, 6). */
const replies: Record<number, [ProxyRefusal['kind'], string]> = {
  1: ['target', 'general failure'],
  2: ['policy', 'not allowed by its rules'],
  3: ['target', 'network unreachable'],
  4: ['target', 'host unreachable'],
  5: ['target', 'connection refused'],
  6: ['target', 'TTL expired'],
  7: ['policy', 'command not supported'],
  8: ['target', 'address type not supported'],
}

/** Sends the SOCKS 5 command CONNECT, after a login if the proxy requires one. */
export const connectBySocks: Handshake = async ({ address, port, login }, send, read) => {
  const offered = login ? [methods.none, methods.password] : [methods.none]
  send(Buffer.of(version, offered.length, ...offered))
  const [spoken, method = methods.refused] = await read.take(2)
  if (spoken !== version) throw new ProxyRefusal('broken', 'it does not speak SOCKS 5')
  if (method === methods.refused) throw new ProxyRefusal('login', loginFault(login, 'no method'))
  if (!offered.some(one => one === method)) {
    throw new ProxyRefusal('broken', 'it chose a login that was not offered')
  }
  if (method === methods.password && login) await logIn(login, send, read)
  send(Buffer.concat([Buffer.of(version, connectCommand, 0), addressOf(address), portOf(port)]))
  await readReply(read)
}

async function logIn(
  login: NonNullable<ProxyServer['login']>,
  send: (bytes: Buffer) => void,
  read: ByteReader,
) {
  const words = [login.user, login.password].map(word => Buffer.from(word))
  send(Buffer.concat([Buffer.of(loginVersion), ...words.flatMap(word => [Buffer.of(word.length), word])]))
  const [, status] = await read.take(2)
  if (status !== 0) throw new ProxyRefusal('login', loginFault(login, `status ${status}`))
}

async function readReply(read: ByteReader): Promise<void> {
  const [spoken, reply = 1, , type] = await read.take(4)
  if (spoken !== version) throw new ProxyRefusal('broken', 'it does not speak SOCKS 5')
  if (reply !== 0) {
    const [kind, text] = replies[reply] ?? ['broken', `reply ${reply}`]
    throw new ProxyRefusal(kind, text)
  }
  await read.take((await boundLength(type, read)) + 2)
}

/** Returns the number of bytes of the proxy's outgoing address in the reply, which is skipped. */
async function boundLength(type: number | undefined, read: ByteReader): Promise<number> {
  if (type === addressTypes.ipv4) return 4
  if (type === addressTypes.ipv6) return 16
  if (type === addressTypes.name) return (await read.take(1)).readUInt8(0)
  throw new ProxyRefusal('broken', 'its answer names an address of no known type')
}

function addressOf(address: string): Buffer {
  const bytes = ipaddr.parse(address).toByteArray()
  return Buffer.from([bytes.length === 4 ? addressTypes.ipv4 : addressTypes.ipv6, ...bytes])
}

function portOf(port: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(port)
  return bytes
}

const loginFault = (login: ProxyServer['login'], word: string): string =>
  login ? `it does not accept the user and password (${word})` : `it requires a user and password (${word})`
