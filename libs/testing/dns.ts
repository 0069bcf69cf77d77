/**
 * A name server for tests. It responds to A and AAAA queries as configured, counts every query, and can respond
 * differently to each query for a name. UDP on loopback, one query per message (RFC 1035).
 */
import dgram from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'

export type DnsType = 'A' | 'AAAA'

/**
 * Returns the records of a name: its addresses (addresses of the other family are left out, and an empty list is an
 * empty response), another name as `cname` whose records are added, null if the name does not exist, or `silence` for
 * no response at all.
 * @param nth number of queries for this name and type so far, from 1
 */
export type DnsAnswer = (
  name: string,
  type: DnsType,
  nth: number,
) => string[] | { cname: string } | 'silence' | null

export type DnsServer = AsyncDisposable & {
  /** Its address in the form `address:port`, as in a resolver's list of servers. */
  server: string
  queries: { name: string; type: DnsType }[]
  close(): Promise<void>
}

const types: Record<number, DnsType> = { 1: 'A', 28: 'AAAA' }
const codes: Record<DnsType | 'CNAME', number> = { A: 1, CNAME: 5, AAAA: 28 }
const maxAliases = 8

type DnsOptions = {
  answer: DnsAnswer
  /** TTL of responses in seconds; 0 by default. */
  ttlSeconds?: number
}

export async function startDns({ answer, ttlSeconds = 0 }: DnsOptions): Promise<DnsServer> {
  const socket = dgram.createSocket('udp4')
  const queries: DnsServer['queries'] = []
  const counts = new Map<string, number>()

  function answerOf(name: string, type: DnsType) {
    const key = `${type} ${name}`
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    return answer(name, type, nth)
  }

  socket.on('message', (message, peer) => {
    const question = readQuestion(message)
    if (question.type) queries.push({ name: question.name, type: question.type })
    const records = question.type ? recordsOf(question.name, question.type, answerOf) : []
    if (records === 'silence') return
    socket.send(reply(message.subarray(0, question.end), records, ttlSeconds), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const closed = once(socket, 'close')
  let open = true
  async function close() {
    if (open) socket.close()
    open = false
    await closed
  }
  return { server: `127.0.0.1:${socket.address().port}`, queries, close, [Symbol.asyncDispose]: close }
}

/** Returns the answer section, aliases first; null: the name does not exist. */
function recordsOf(
  queried: string,
  type: DnsType,
  answerOf: (name: string, type: DnsType) => ReturnType<DnsAnswer>,
) {
  const records: Resource[] = []
  let name = queried
  for (let alias = 0; alias < maxAliases; alias++) {
    const answer = answerOf(name, type)
    if (answer === null || answer === 'silence') return answer
    if (Array.isArray(answer)) {
      const family = type === 'A' ? 4 : 6
      const fitting = answer.filter(address => net.isIP(address) === family)
      return [...records, ...fitting.map(address => record(name, type, bytesOf(address)))]
    }
    records.push(record(name, 'CNAME', encodeName(answer.cname)))
    name = answer.cname
  }
  return records
}

function readQuestion(message: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = types[message.readUInt16BE(at + 1)]
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 }
}

/** Returns the query with its response: flags "response, recursion available", code 3 if the name does not exist. */
function reply(question: Buffer, records: Resource[] | null, ttlSeconds: number): Buffer {
  const header = Buffer.from(question)
  header.writeUInt16BE(records === null ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(records?.length ?? 0, 6)
  header.writeUInt32BE(0, 8)
  const answers = (records ?? []).flatMap(({ name, fixed, data }) => {
    fixed.writeUInt32BE(ttlSeconds, 4)
    return [name, fixed, data]
  })
  return Buffer.concat([header, ...answers])
}

/** `fixed` contains the fields between name and data: type, class, TTL and length. */
type Resource = { name: Buffer; fixed: Buffer; data: Buffer }

function record(name: string, type: DnsType | 'CNAME', data: Buffer): Resource {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(codes[type], 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(data.length, 8)
  return { name: encodeName(name), fixed, data }
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter(label => label !== '')
  return Buffer.concat([
    ...labels.map(label => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.of(0),
  ])
}

function bytesOf(address: string): Buffer {
  if (net.isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const groups = (text = '') => text.split(':').filter(group => group !== '')
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)]
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex')
}
